-- Fence. Invariant: a counter is raised only for the holder to whom exactly that counter was answered, because an owner
-- whose grant ended in between may hold the name again by a request that was repeated; from then on the epoch is what it
-- holds with. What a later attempt of the owner was answered is left to that attempt.
-- ARGV: owner, answered counter, epoch, attempt. Answer: 1 or 0.
local floor, value = call('HGET', KEYS[2], 'floor'), call('GET', KEYS[1])
if not floor or held_until(value) == 0 or owner_of(value) ~= ARGV[1] or unpack('>I8', value, 35) > tonumber(ARGV[4]) then
  return 0
end
local answered, epoch = unpack('>I8', value, 43), tonumber(ARGV[3])
if answered ~= tonumber(ARGV[2]) and answered ~= epoch then
  return 0
end
local counter = math.max(unpack('>I8', value, 3), epoch)
call('SETRANGE', KEYS[1], 2, pack('>I8', counter))
call('SETRANGE', KEYS[1], 42, pack('>I8', epoch))
raise_floor(KEYS[2], tonumber(floor), counter)
return 1
