-- Release. Invariant: only what is held with this epoch and owner, and has not expired, is given back; the counter stays.
-- KEYS: names. ARGV: epoch and owner per name. Answers per name: 0 released, -1 not held; otherwise it is held by this
-- owner, but with the counter that is answered.
local answers = {}
for i = 1, #KEYS do
  local value, owner, answer = call('GET', KEYS[i]), sub(ARGV[i], 9, 24), -1
  if held_until(value) > 0 and owner_of(value) == owner then
    answer = unpack('>I8', value, 43)
    if sub(value, 43, 50) == sub(ARGV[i], 1, 8) then
      free(KEYS[i], value, true)
      answer = 0
    end
  else
    local reader = reader_of(KEYS[i], value, owner)
    if reader then
      answer = unpack('>I8', reader, 25)
      if sub(reader, 25, 32) == sub(ARGV[i], 1, 8) then
        leave(KEYS[i], value, owner, true)
        answer = 0
      end
    end
  end
  answers[i] = answer
end
return answers
