-- Release. Invariant: only a grant with this epoch and owner that has not expired is given back; the line is served.
-- KEYS: heads. ARGV: epoch and owner per key, the stamp. Answers: 1 (released) or 0 (not held) per key, and then the part
-- whose line is too long to be served at once, if there is one.
local parts, answers = {}, {}
for i = 1, #KEYS do
  parts[i] = load(KEYS[i])
  if parts[i].torn then
    return refusal(parts[i], i)
  end
end
for i = 1, #KEYS do
  refresh(parts[i])
  local owner = sub(ARGV[i], @GRANT_OWNER@)
  local epoch, _, record = held(parts[i], owner)
  if epoch and pack('>I8', epoch) == sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
    free(parts[i], owner, record)
    answers[i] = 1
  else
    answers[i] = 0
  end
end
for i = 1, #parts do
  serve(parts[i])
  answers[#KEYS + 1] = answers[#KEYS + 1] or goes_on(parts[i]) and i or nil
end
settle()
return answers
