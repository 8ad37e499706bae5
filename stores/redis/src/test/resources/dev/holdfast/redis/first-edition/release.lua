-- Release. Invariant: only a grant with this epoch and owner that has not expired is given back; the line is served.
-- KEYS: heads. ARGV: epoch and owner per key; in a cluster, the place. Answers: 1 (released) or 0 (not held) per key.
place = ARGV[#KEYS + 1]
local parts, answers = {}, {}
for i = 1, #KEYS do
  parts[i] = load(KEYS[i])
  refresh(parts[i])
  local owner = sub(ARGV[i], 9)
  local epoch, _, record = held(parts[i], owner)
  if epoch and pack('>I8', epoch) == sub(ARGV[i], 1, 8) then
    free(parts[i], owner, record)
    answers[i] = 1
  else
    answers[i] = 0
  end
end
for i = 1, #parts do
  serve(parts[i])
end
settle()
return answers
