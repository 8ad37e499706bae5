-- Inspect. Invariant: nothing is written. Answer: {left, epoch, age, owner, text, by, reason, ago}; left is 0 if nobody
-- holds the name, by is nil if nobody was evicted.
local value = call('GET', KEYS[1])
if value and sub(value, 1, 1) ~= '1' then
  return { -1, sub(value, 1, 1) }
end
local eviction = call('HMGET', KEYS[1] .. ':e', 'by', 'reason', 'at')
local ago = eviction[3] and now - tonumber(eviction[3]) or 0
local expiry = held_until(value)
if expiry == 0 then
  return { 0, 0, 0, '', '', eviction[1], eviction[2], ago }
end
return { expiry - now, unpack('>I8', value, 43), now - unpack('>I8', value, 27), owner_of(value), sub(value, 67),
  eviction[1], eviction[2], ago }
