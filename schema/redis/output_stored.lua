#!lua flags=allow-oom
-- A run has ended, and its output is stored elsewhere: forgets what its claim began here, and tells who watches it.
-- KEYS[1] the stream; KEYS[2] its state; ARGV channel
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('PUBLISH', ARGV[1], '!')
return 'ok'
