-- Evict. Invariant: nobody holds the name on this node, or, with an epoch, nobody who was answered that counter last; no two
-- holders of a name were. The counter stays, so that the next grant fences whoever did.
-- ARGV: by, reason, epoch or ''. Answer: the owners that were evicted, before them r if they were readers and e otherwise.
local value, owners, only = call('GET', KEYS[1]), {}, tonumber(ARGV[3])
local alone = held_until(value) > 0
if alone then
  if not only or unpack('>I8', value, @NODE_ANSWERED@) == only then
    owners = { owner_of(value) }
  end
elseif flags_of(value) >= 4 and read_until(KEYS[1]) > 0 then
  for _, owner in ipairs(call('ZRANGE', KEYS[1] .. ':r', 0, -1)) do
    local reader = only and reader_of(KEYS[1], value, owner)
    if not only or reader and unpack('>I8', reader, @READER_ANSWERED@) == only then
      owners[#owners + 1] = owner
    end
  end
end
if #owners == 0 then
  return { 'e' }
end
-- Those who were evicted before may not have asked yet.
if call('HLEN', KEYS[1] .. ':e') > MOST_READERS then
  call('DEL', KEYS[1] .. ':e')
end
call('HSET', KEYS[1] .. ':e', 'by', ARGV[1], 'reason', ARGV[2], 'at', string.format('%.0f', now))
if alone then
  call('HSET', KEYS[1] .. ':e', 'owner', owners[1])
  free(KEYS[1], value, true)
else
  for i = 1, #owners do
    call('HSET', KEYS[1] .. ':e', owners[i], '')
    leave(KEYS[1], value, owners[i], true)
  end
end
call('PEXPIRE', KEYS[1] .. ':e', EVICTIONS_KEPT)
table.insert(owners, 1, alone and 'e' or 'r')
return owners
