-- An instance says that it is there, or that it leaves; or somebody asks who is there.
-- KEYS[1] a sorted set: each instance by when it said so last, in milliseconds of this clock; ARGV `beat`, `leave` or
-- `list`, the instance, milliseconds after which it counts as gone; reply: who is there
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local age = tonumber(ARGV[3])
local oldest, newest = string.format('%.0f', now - age), string.format('%.0f', now + age)
if ARGV[1] == 'beat' then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[2])
elseif ARGV[1] == 'leave' then
  redis.call('ZREM', KEYS[1], ARGV[2])
end
if ARGV[1] ~= 'list' then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', oldest)
  -- After a failover to a slower clock.
  redis.call('ZREMRANGEBYSCORE', KEYS[1], newest, '+inf')
  redis.call('PEXPIRE', KEYS[1], age)
end
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. oldest, '(' .. newest)
