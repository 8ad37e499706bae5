-- Evict. Invariant: nobody holds the name on this node; the counter stays, so that the next grant fences whoever did.
-- ARGV: by, reason. Answer: the owners that were evicted, before them r if they were readers and e otherwise.
local value, owners = call('GET', KEYS[1]), {}
local alone = held_until(value) > 0
if alone then
  owners = { owner_of(value) }
elseif flags_of(value) >= 4 and read_until(KEYS[1]) > 0 then
  owners = call('ZRANGE', KEYS[1] .. ':r', 0, -1)
end
if #owners == 0 then
  return { 'e' }
end
call('DEL', KEYS[1] .. ':e')
call('HSET', KEYS[1] .. ':e', 'by', ARGV[1], 'reason', ARGV[2], 'at', string.format('%.0f', now))
if alone then
  call('HSET', KEYS[1] .. ':e', 'owner', owners[1])
else
  for i = 1, #owners do
    call('HSET', KEYS[1] .. ':e', owners[i], '')
    call('DEL', KEYS[1] .. ':r:' .. owners[i])
  end
  call('DEL', KEYS[1] .. ':r')
end
call('PEXPIRE', KEYS[1] .. ':e', EVICTIONS_KEPT)
free(KEYS[1], value, true)
table.insert(owners, 1, alone and 'e' or 'r')
return owners
