-- Keeps an authentication record for all instances; a late writer never replaces a newer one.
-- KEYS[1] record, KEYS[2] mark that the token was once known good (absent: leave it)
-- ARGV    record "r:<epoch>:<readAt>:...", epoch, readAt, life in milliseconds, life of the mark
local stored = redis.call('GET', KEYS[1])
if stored then
  local epoch, read_at = string.match(stored, '^r:(%d+):(%d+):')
  if epoch then
    local held, mine = tonumber(epoch), tonumber(ARGV[2])
    if held > mine or (held == mine and tonumber(read_at) >= tonumber(ARGV[3])) then
      return 0
    end
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
if KEYS[2] then
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[5])
end
return 1
