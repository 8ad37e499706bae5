-- Renew. Invariant: a lease is extended only while epoch and owner match and it is not over; none is ever created.
-- KEYS: names. ARGV: epoch, owner and lease per name. Answers per name: -1 not held, -2 not held and evicted, 0 extended;
-- otherwise it is held by this owner, but with the counter that is answered.
local answers = {}
for i = 1, #KEYS do
  local value, owner, answer = call('GET', KEYS[i]), sub(ARGV[i], @GRANT_OWNER@, @GRANT_OWNER_END@), -1
  local expiry = now + unpack('>I4', ARGV[i], @GRANT_LEASE@) + 1
  if held_until(value) > 0 and owner_of(value) == owner then
    answer = unpack('>I8', value, @NODE_ANSWERED@)
    if sub(value, @NODE_ANSWERED@, @NODE_ANSWERED_END@) == sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
      write(KEYS[i], sub(value, @NODE_FLAGS@, @NODE_FLAGS@), sub(value, @NODE_COUNTER@, @NODE_COUNTER_END@),
        pack('>I8', expiry) .. sub(value, @NODE_SINCE@))
      answer = 0
    end
  else
    local reader = reader_of(KEYS[i], value, owner)
    if reader then
      answer = unpack('>I8', reader, @READER_ANSWERED@)
      if sub(reader, @READER_ANSWERED@, @READER_ANSWERED_END@) == sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
        -- The name is kept for longer too: without its flag nobody would see the reader.
        write(KEYS[i], sub(value, @NODE_FLAGS@, @NODE_FLAGS@), sub(value, @NODE_COUNTER@, @NODE_COUNTER_END@), '')
        read(KEYS[i], owner, expiry, sub(reader, @READER_SINCE@))
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
