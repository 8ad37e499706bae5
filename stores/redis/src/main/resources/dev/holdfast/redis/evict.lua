-- Evict. Invariant: no holder keeps the name, nor any other name of the same claim; with an epoch, no holder that has it,
-- and all others do. Each is told; the last epoch stays, so that the next grant fences them.
-- KEYS: a head. ARGV: by, reason, epoch or '', the stamp. Answer: how many.
local MOST_REMEMBERED = 1000
local only = tonumber(ARGV[3])
local name = load(KEYS[1])
if refusal(name, 1) then
  return refusal(name, 1)
end
refresh(name)
local holders = {}
if name.holder then
  if not only or name.last == only then
    holders[1] = { sub(name.holder, @OWNER@, @OWNER_END@), name.last, name.holder }
  end
elseif name.shared then
  local all = call('HGETALL', name.key .. ':h')
  for i = 1, #all, 2 do
    local epoch = select(2, unpack('>I8I8', all[i + 1]))
    if not only or epoch == only then
      holders[#holders + 1] = { all[i], epoch, all[i + 1] }
    end
  end
end

-- While a slot moves, the memory of earlier evictions may be on its way, and must not find its place taken; and where the slot
-- is leaving, it cannot begin, which must not end this script half-way.
local function forgets(key)
  local there = redis.pcall('EXISTS', key .. ':e')
  return type(there) == 'table' or arriving and there == 0
end

local function remember(key, owner)
  if forgets(key) then
    return
  end
  if call('HLEN', key .. ':e') > MOST_REMEMBERED then
    call('DEL', key .. ':e')
  end
  call('HSET', key .. ':e', owner, 1)
  call('PEXPIRE', key .. ':e', KEPT)
end

local touched = { name }
for i = 1, #holders do
  local owner, epoch, record = holders[i][1], holders[i][2], holders[i][3]
  free(name, owner, record)
  remember(name.key, owner)
  for key in string.gmatch(companions(record) or '', '[^\n]+') do
    local other = load(key)
    local also, _, theirs = held(other, owner)
    if other ~= name and also and not other.newer then
      free(other, owner, theirs)
      remember(key, owner)
      touched[#touched + 1] = other
    end
  end
  outbox[#outbox + 1] = { match(record, '^[^\n]*', @TEXT@), 'L' .. owner .. pack('>I8', epoch) .. name.key }
end
if #holders > 0 and not forgets(name.key) then
  call('HSET', name.key .. ':e', 'by', ARGV[1], 'reason', ARGV[2], 'at', string.format('%.0f', now))
end
for i = 1, #touched do
  refresh(touched[i])
  serve(touched[i])
end
settle()
return #holders
