-- Fetches the head of the first name, for the scripts without a common case of their own.
local fetched = redis.call('GET', KEYS[1])
