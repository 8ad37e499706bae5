-- Release. Invariant: only what is held with this epoch and owner, and has not expired, is given back; the counter stays.
-- KEYS: names. ARGV: epoch and owner per name. Answers per name: 0 released, -1 not held; otherwise it is held by this
-- owner, but with the counter that is answered.
local answers = {}
for i = 1, #KEYS do
  local value, owner, answer = call('GET', KEYS[i]), sub(ARGV[i], @GRANT_OWNER@, @GRANT_OWNER_END@), -1
  if held_until(value) > 0 and owner_of(value) == owner then
    answer = unpack('>I8', value, @NODE_ANSWERED@)
    if sub(value, @NODE_ANSWERED@, @NODE_ANSWERED_END@) == sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
      free(KEYS[i], value, true)
      answer = 0
    end
  else
    local reader = reader_of(KEYS[i], value, owner)
    if reader then
      answer = unpack('>I8', reader, @READER_ANSWERED@)
      if sub(reader, @READER_ANSWERED@, @READER_ANSWERED_END@) == sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
        leave(KEYS[i], value, owner, true)
        answer = 0
      end
    end
  end
  answers[i] = answer
end
return answers
