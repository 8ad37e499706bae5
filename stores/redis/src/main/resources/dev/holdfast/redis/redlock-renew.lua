-- Renew. Invariant: a lease is extended only while epoch and owner match and it is not over; none is ever created.
-- KEYS: names. ARGV: epoch, owner and lease per name. Answers per name: -1 not held, -2 not held and evicted, 0 extended;
-- otherwise it is held by this owner, but with the counter that is answered.
local answers = {}
for i = 1, #KEYS do
  local value, owner, answer = call('GET', KEYS[i]), sub(ARGV[i], 9, 24), -1
  local expiry = now + unpack('>I4', ARGV[i], 25) + 1
  if held_until(value) > 0 and owner_of(value) == owner then
    answer = unpack('>I8', value, 43)
    if sub(value, 43, 50) == sub(ARGV[i], 1, 8) then
      write(KEYS[i], sub(value, 2, 2), sub(value, 3, 10), pack('>I8', expiry) .. sub(value, 27))
      answer = 0
    end
  else
    local reader = reader_of(KEYS[i], value, owner)
    if reader then
      answer = unpack('>I8', reader, 25)
      if sub(reader, 25, 32) == sub(ARGV[i], 1, 8) then
        -- The name is kept for longer too: without its flag nobody would see the reader.
        write(KEYS[i], sub(value, 2, 2), sub(value, 3, 10), '')
        read(KEYS[i], owner, expiry, sub(reader, 9))
        answer = 0
      end
    else
      local evicted = call('HMGET', KEYS[i] .. ':e', 'owner', owner)
      answer = (evicted[1] == owner or evicted[2]) and -2 or -1
    end
  end
  answers[i] = answer
end
return answers
