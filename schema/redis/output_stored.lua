#!lua flags=allow-oom
-- A run has ended, and its output is stored elsewhere: forgets what its claim began here, and tells who watches it.
-- What the claim begins may come later than a short run's end; a mark then refuses it.
-- KEYS[1] the stream; KEYS[2] its state; ARGV how and where to tell it (`PUBLISH CHANNEL`), life of the mark in
-- milliseconds
local publish, channel = string.match(ARGV[1], '^(%u+) (.+)$')
if redis.call('UNLINK', KEYS[1], KEYS[2]) == 0 then
  redis.call('HSET', KEYS[2], 'ended', '1')
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
redis.call(publish, channel, '!')
return 'ok'
