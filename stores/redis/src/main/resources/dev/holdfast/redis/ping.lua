-- Ping. Invariant: leaves nothing; fails where a lock could not be written. KEYS: a name that nobody uses.
local time = redis.call('TIME')
local soon = time[1] * 1000 + 1000
redis.call('SET', KEYS[1], '', 'PXAT', string.format('%.0f', soon))
redis.call('PTTL', KEYS[1])
return redis.call('DEL', KEYS[1])
