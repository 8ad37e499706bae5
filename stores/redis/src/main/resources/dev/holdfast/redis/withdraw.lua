-- Withdraw. Invariant: afterwards the owner neither waits nor holds, and with a tombstone no late request of it does.
-- KEYS: heads. ARGV: owner, '1' for a tombstone, the stamp. Answers: 1, or 2 if a line is too long to be served at once.
local parts = {}
for i = 1, #KEYS do
  local part = load(KEYS[i])
  if refusal(part, i) then
    return refusal(part, i)
  end
  parts[i] = part
end
for i = 1, #parts do
  local part = parts[i]
  if ARGV[2] == '1' then
    -- First, because it may be refused where the slot is leaving. The key stays for as long as the head that tells of it: a
    -- key that is missing while a slot moves may be on its way.
    call('ZADD', KEYS[i] .. ':t', string.format('%.0f', now + BURIED), ARGV[1])
    call('PEXPIRE', KEYS[i] .. ':t', KEPT)
    part.graves, part.dirty = true, true
  end
end
for i = 1, #parts do
  local part = parts[i]
  refresh(part)
  if part.line then
    leave(part, ARGV[1])
  end
  local epoch, _, record = held(part, ARGV[1])
  if epoch then
    free(part, ARGV[1], record)
  end
end
local answer = 1
for i = 1, #parts do
  serve(parts[i])
  answer = goes_on(parts[i]) and 2 or answer
end
settle()
return answer
