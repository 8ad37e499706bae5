-- Withdraw. Invariant: afterwards the owner neither waits nor holds, and with a tombstone no late request of it does.
-- KEYS: heads. ARGV: owner, '1' for a tombstone, in a cluster, the place.
place = ARGV[3]
local parts = {}
for i = 1, #KEYS do
  local part = load(KEYS[i])
  if part.newer then
    return { 3, i, part.format }
  end
  parts[i] = part
end
for i = 1, #parts do
  local part = parts[i]
  refresh(part)
  if ARGV[2] == '1' then
    call('ZADD', KEYS[i] .. ':t', string.format('%.0f', now + BURIED), ARGV[1])
    call('PEXPIRE', KEYS[i] .. ':t', 2 * BURIED)
    part.graves, part.dirty = true, true
  end
  if part.line then
    leave(part, ARGV[1])
  end
  local epoch, _, record = held(part, ARGV[1])
  if epoch then
    free(part, ARGV[1], record)
  end
end
for i = 1, #parts do
  serve(parts[i])
end
settle()
return 1
