------------------------------- MODULE HandOff -------------------------------
(***************************************************************************)
(* Threads of one client pass a lock on without asking the store: the token *)
(* is the store's epoch followed by a local sequence number. The store may  *)
(* grant to somebody else at any instant (a lease ran out while the client  *)
(* was paused), and the client may not know. Checked: tokens are unique, a  *)
(* hand-off has a larger token than the lease before it, and every token of *)
(* a newer grant is larger than every token of an older one.                *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Clients, None,
    Slots,          \* how many tokens one grant has room for (4096 in the library)
    Bounded,        \* whether the engine stops handing on when they are used up
    MaxEpoch, MaxLeases

VARIABLES
    epoch,      \* the store's last epoch
    holder,     \* whom the store takes for the holder
    tenure,     \* client -> the epoch of the grant it believes to have; 0 for none
    sequence,   \* client -> the last sequence number it used under that grant
    leases      \* all leases that were ever lent, in order: [epoch, token]

vars == <<epoch, holder, tenure, sequence, leases>>

Token(e, s) == e * Slots + s

Init ==
    /\ epoch = 0 /\ holder = None
    /\ tenure = [c \in Clients |-> 0]
    /\ sequence = [c \in Clients |-> 0]
    /\ leases = <<>>

Lend(e, s) == leases' = Append(leases, [epoch |-> e, token |-> Token(e, s)])

Grant(c) ==
    /\ holder = None /\ epoch < MaxEpoch /\ Len(leases) < MaxLeases
    /\ epoch' = epoch + 1 /\ holder' = c
    /\ tenure' = [tenure EXCEPT ![c] = epoch + 1]
    /\ sequence' = [sequence EXCEPT ![c] = 0]
    /\ Lend(epoch + 1, 0)

\* Also when the store has granted to somebody else long since.
HandOn(c) ==
    /\ tenure[c] > 0 /\ Len(leases) < MaxLeases
    /\ Bounded => sequence[c] < Slots - 1
    /\ sequence' = [sequence EXCEPT ![c] = @ + 1]
    /\ Lend(tenure[c], sequence[c] + 1)
    /\ UNCHANGED <<epoch, holder, tenure>>

\* The store takes the lock back: released, expired or evicted. The client learns of it now or later.
TakeBack ==
    /\ holder # None
    /\ holder' = None
    /\ \E knows \in BOOLEAN : tenure' = IF knows THEN [tenure EXCEPT ![holder] = 0] ELSE tenure
    /\ UNCHANGED <<epoch, sequence, leases>>

Next == TakeBack \/ \E c \in Clients : Grant(c) \/ HandOn(c)

Spec == Init /\ [][Next]_vars

Indexes == DOMAIN leases

TokensAreUnique == \A i, j \in Indexes : i # j => leases[i].token # leases[j].token

HandOffsGrow == \A i, j \in Indexes : i < j /\ leases[i].epoch = leases[j].epoch => leases[i].token < leases[j].token

NewerGrantIsLarger == \A i, j \in Indexes : leases[i].epoch < leases[j].epoch => leases[i].token < leases[j].token
=============================================================================
