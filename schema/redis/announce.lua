-- A token was created: where nothing or a negative entry stands, mark that PostgreSQL must be asked.
-- KEYS[1] record; ARGV life in milliseconds; reply: 1 if marked
local stored = redis.call('GET', KEYS[1])
if stored and string.sub(stored, 1, 2) == 'r:' then
  return 0
end
redis.call('SET', KEYS[1], '?', 'PX', ARGV[1])
return 1
