-- Fence. Invariant: each number is given to one holder at most, because it is larger than the counter, which it then becomes;
-- and only to the holder to whom exactly that counter was answered, because an owner whose grant ended in between may hold
-- the name again by a request that was repeated. From then on the epoch is what it holds with. A later attempt of the owner
-- is left alone: it counts on what it was answered.
-- ARGV: owner, answered counter, epoch, attempt, '1' if a quorum has given the epoch to this owner already: then a node whose
-- counter has gone past it may hold with it all the same.
-- Answers: 1, or 0 if it does not hold so, otherwise the counter, which is not below the epoch.
local floor, value = call('HGET', KEYS[2], 'floor'), call('GET', KEYS[1])
if not floor or not value then
  return 0
end
local record, own, attempt_at, answered_at
if held_until(value) > 0 and owner_of(value) == ARGV[1] then
  record, own, attempt_at, answered_at = KEYS[1], value, @NODE_ATTEMPT_AT@, @NODE_ANSWERED_AT@
else
  record, own = KEYS[1] .. ':r:' .. ARGV[1], reader_of(KEYS[1], value, ARGV[1])
  attempt_at, answered_at = @READER_ATTEMPT_AT@, @READER_ANSWERED_AT@
end
if not own or unpack('>I8', own, attempt_at + 1) > tonumber(ARGV[4]) then
  return 0
end
local answered, epoch, counter = unpack('>I8', own, answered_at + 1), tonumber(ARGV[3]), unpack('>I8', value, @NODE_COUNTER@)
if answered == epoch then
  return 1
end
if answered ~= tonumber(ARGV[2]) then
  return 0
end
if epoch <= counter and ARGV[5] ~= '1' then
  return counter
end
call('SETRANGE', record, answered_at, pack('>I8', epoch))
if epoch > counter then
  call('SETRANGE', KEYS[1], @NODE_COUNTER_AT@, pack('>I8', epoch))
  raise_floor(KEYS[2], tonumber(floor), epoch)
end
return 1
