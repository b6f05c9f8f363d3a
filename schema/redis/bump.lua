-- Raises a subject's epoch; never lowers it. Late and reordered raises do no harm. What is raised is told to all
-- instances, so that who goes on by an older record looks again at once.
-- KEYS[1] epoch key; ARGV epoch, life in milliseconds; reply: the epoch that stands
local stored = redis.call('GET', KEYS[1])
if stored and tonumber(stored) >= tonumber(ARGV[1]) then
  return stored
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
-- A user that may not publish has raised all the same.
redis.pcall('PUBLISH', 'svc:raised', KEYS[1] .. ' ' .. ARGV[1])
return ARGV[1]
