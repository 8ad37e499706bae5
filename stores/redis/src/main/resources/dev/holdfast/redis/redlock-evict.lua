-- Evict. Invariant: nobody holds the name on this node; the counter stays, so that the next grant fences whoever did.
-- ARGV: by, reason. Answer: the owner that was evicted, or ''.
local value = call('GET', KEYS[1])
if held_until(value) == 0 then
  return ''
end
local owner = owner_of(value)
call('HSET', KEYS[1] .. ':e', 'by', ARGV[1], 'reason', ARGV[2], 'at', string.format('%.0f', now), 'owner', owner)
call('PEXPIRE', KEYS[1] .. ':e', EVICTIONS_KEPT)
free(KEYS[1], value, true)
return owner
