#!lua flags=allow-oom
-- The books of live output: how many bytes each run has here, and so each project, and all. A run's number is absolute,
-- so telling it again, late or by another instance counts nothing twice. Each run is due to be looked at again: one
-- whose output has gone by itself is taken off the books then.
-- KEYS[1] runs: '<bytes> <project>'; KEYS[2] runs by the second when they are due; KEYS[3] projects: bytes, and 'all'
-- ARGV[1] how many due runs are wanted; then of each change: run, project, bytes (empty: as they are), due in seconds
-- reply: {all, {project, bytes, ... of those changed}, {run, project, ... that are due}}
local now = tonumber(redis.call('TIME')[1])

local function add(field, bytes)
  if redis.call('HINCRBY', KEYS[3], field, bytes) <= 0 then
    redis.call('HDEL', KEYS[3], field)
  end
end

local function count(run, project, bytes)
  local known = redis.call('HGET', KEYS[1], run)
  local before = tonumber(known and string.match(known, '^%d+') or 0)
  if bytes == 0 then
    redis.call('HDEL', KEYS[1], run)
  else
    redis.call('HSET', KEYS[1], run, string.format('%.0f %s', bytes, project))
  end
  if bytes ~= before then
    local change = string.format('%.0f', bytes - before)
    add(project, change)
    add('all', change)
  end
end

local projects = {}
for i = 2, #ARGV, 4 do
  local run, project, bytes = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if bytes ~= '' then
    count(run, project, tonumber(bytes))
  end
  if bytes ~= '0' and redis.call('HEXISTS', KEYS[1], run) == 1 then
    redis.call('ZADD', KEYS[2], now + tonumber(ARGV[i + 3]), run)
  else
    redis.call('ZREM', KEYS[2], run)
  end
  projects[project] = true
end

local held = {}
for project in pairs(projects) do
  held[#held + 1] = project
  held[#held + 1] = tonumber(redis.call('HGET', KEYS[3], project) or 0)
end
local due = {}
if ARGV[1] ~= '0' then
  for _, run in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])) do
    local known = redis.call('HGET', KEYS[1], run)
    if known then
      due[#due + 1] = run
      due[#due + 1] = string.match(known, ' (.*)$')
    else
      redis.call('ZREM', KEYS[2], run)
    end
  end
end
return {tonumber(redis.call('HGET', KEYS[3], 'all') or 0), held, due}
