-- Raises a subject's epoch; never lowers it. Late and reordered raises do no harm.
-- KEYS[1] epoch key; ARGV epoch, life in milliseconds; reply: the epoch that stands
local stored = redis.call('GET', KEYS[1])
if stored and tonumber(stored) >= tonumber(ARGV[1]) then
  return stored
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
