-- Renew. Invariant: a lease is extended only while epoch and owner match and it is not over; none is ever created.
-- KEYS: names. ARGV: epoch, owner and lease per name. Answers per name: -1 not held, -2 not held and evicted, 0 extended;
-- otherwise it is held by this owner, but with the counter that is answered.
local answers = {}
for i = 1, #KEYS do
  local value, owner, answer = call('GET', KEYS[i]), sub(ARGV[i], 9, 24), -1
  if held_until(value) > 0 and owner_of(value) == owner then
    answer = unpack('>I8', value, 43)
    if sub(value, 43, 50) == sub(ARGV[i], 1, 8) then
      local expiry = pack('>I8', now + unpack('>I4', ARGV[i], 25) + 1)
      write(KEYS[i], sub(value, 2, 2), sub(value, 3, 10), expiry .. sub(value, 27))
      answer = 0
    end
  elseif call('HGET', KEYS[i] .. ':e', 'owner') == owner then
    answer = -2
  end
  answers[i] = answer
end
return answers
