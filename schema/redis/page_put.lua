-- Keeps the newest copy of a status page with its names, and at most so many copies.
-- KEYS[1] copy, KEYS[2] names to ids, KEYS[3] ids to "<as of> <name> ...", KEYS[4] ids by the time of the copy, negative
-- ARGV    id, as of in microseconds, life in milliseconds, most copies, copy (empty: remove the page), names
-- reply   1 if the copy is kept, 0 if a newer one is there or the page was removed
local id, as_of, life = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local prefix = string.sub(KEYS[1], 1, -#id - 1)
-- A database whose clock went back may replace a copy from its future.
local doubt = 60000000

local function forget_names(page)
  local held = redis.call('HGET', KEYS[3], page)
  for name in string.gmatch(held and string.match(held, ' (.*)') or '', '%S+') do
    if redis.call('HGET', KEYS[2], name) == page then
      redis.call('HDEL', KEYS[2], name)
    end
  end
end

local function remove(page)
  forget_names(page)
  redis.call('HDEL', KEYS[3], page)
  redis.call('ZREM', KEYS[4], page)
  redis.call('UNLINK', prefix .. page)
end

if ARGV[5] == '' then
  remove(id)
  return 0
end
local held = redis.call('HGET', KEYS[3], id)
local newest = held and tonumber(string.match(held, '^%d+')) or 0
if newest > as_of and newest - as_of < doubt then
  return 0
end
forget_names(id)
local now = tonumber(redis.call('TIME')[1])
local line = ARGV[2]
for i = 6, #ARGV do
  redis.call('HSET', KEYS[2], ARGV[i], id)
  line = line .. ' ' .. ARGV[i]
end
redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[3])
redis.call('HSET', KEYS[3], id, line)
redis.call('ZADD', KEYS[4], -now, id)
local surplus = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', '+inf', 'LIMIT', ARGV[4], 16)
for _, page in ipairs(surplus) do
  remove(page)
end
local over = redis.call('ZRANGEBYSCORE', KEYS[4], math.floor(life / 1000) - now, '+inf', 'LIMIT', 0, 16)
for _, page in ipairs(over) do
  remove(page)
end
for i = 2, 4 do
  redis.call('PEXPIRE', KEYS[i], ARGV[3])
end
return 1
