--------------------------- MODULE FencedRedlock ---------------------------
(***************************************************************************)
(* A lock on N independent nodes whose fencing tokens are safe to compare.  *)
(*                                                                         *)
(* A node's grant may end at any instant: there is no clock here, so what   *)
(* holds here holds however wrong the clocks are. Whether two clients hold  *)
(* the lock at once is then nothing that tokens could prevent; what they    *)
(* must do is order the holders. Two things are checked: no two grants      *)
(* have the same token, and a grant that returned before another attempt    *)
(* began has the smaller one.                                               *)
(*                                                                         *)
(* One name is modelled. Each node keeps a counter for it and a floor: the  *)
(* largest counter it ever gave for any name. The counter may be forgotten  *)
(* while nobody holds the lock, the floor never. A node that comes back     *)
(* without its floor knows that it has lost everything.                     *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Nodes, Attempts,    \* every attempt to acquire has an owner id of its own
    None,
    Hints,              \* what a client may send along to make the nodes' counters meet
    WriteBack,          \* whether the largest answer is written back to a quorum
    Match,              \* what FENCE compares: "owner and answer", "owner" or "nothing"
    Recovery,           \* of an empty node: "wait, copy", "copy, wait" or "none"
    MaxForgotten, MaxRepeated, MaxLost   \* how often each of these happens

VARIABLES
    owner,       \* node -> the attempt that holds its lock
    answered,    \* node -> the counter that it answered to that attempt
    counter,     \* node -> its counter; None if it has none
    floor,       \* node -> its floor
    status,      \* node -> "voting", "empty" (all was lost) or "copied"
    phase,       \* attempt -> "idle", "asking", "fencing", "granted" or "gone"
    hint,        \* attempt -> its hint
    answer,      \* attempt -> node -> what the node answered; 0 if nothing yet
    token,       \* attempt -> what it will be granted with
    acks,        \* attempt -> the nodes whose counter is known to be at the token
    earlier,     \* attempt -> the attempts that were granted before it began
    forgotten, repeated, lost

nodeState == <<owner, answered, counter, floor, status>>
clientState == <<phase, hint, answer, token, acks, earlier>>
faults == <<forgotten, repeated, lost>>
vars == <<nodeState, clientState, faults>>

Quorum == Cardinality(Nodes) \div 2 + 1
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Granted(a) == phase[a] = "granted"
Answering(a) == {n \in Nodes : answer[a][n] > 0}

Init ==
    /\ owner = [n \in Nodes |-> None]
    /\ answered = [n \in Nodes |-> 0]
    /\ counter = [n \in Nodes |-> None]
    /\ floor = [n \in Nodes |-> 0]
    /\ status = [n \in Nodes |-> "voting"]
    /\ phase = [a \in Attempts |-> "idle"]
    /\ hint = [a \in Attempts |-> 0]
    /\ answer = [a \in Attempts |-> [n \in Nodes |-> 0]]
    /\ token = [a \in Attempts |-> 0]
    /\ acks = [a \in Attempts |-> {}]
    /\ earlier = [a \in Attempts |-> {}]
    /\ forgotten = 0 /\ repeated = 0 /\ lost = 0

------------------------------- (* Clients *)

Begin(a) ==
    /\ phase[a] = "idle"
    /\ phase' = [phase EXCEPT ![a] = "asking"]
    /\ \E h \in Hints : hint' = [hint EXCEPT ![a] = h]
    /\ earlier' = [earlier EXCEPT ![a] = {b \in Attempts : Granted(b)}]
    /\ UNCHANGED <<nodeState, answer, token, acks, faults>>

\* With a quorum of grants the token is the largest answer. Nodes that answered exactly that need no second visit.
Decide(a) ==
    /\ phase[a] = "asking" /\ Cardinality(Answering(a)) >= Quorum
    /\ LET t == Max({answer[a][n] : n \in Answering(a)}) IN
         /\ token' = [token EXCEPT ![a] = t]
         /\ acks' = [acks EXCEPT ![a] = {n \in Answering(a) : answer[a][n] = t}]
    /\ phase' = [phase EXCEPT ![a] = "fencing"]
    /\ UNCHANGED <<nodeState, hint, answer, earlier, faults>>

Grant(a) ==
    /\ phase[a] = "fencing"
    /\ WriteBack => Cardinality(acks[a]) >= Quorum
    /\ phase' = [phase EXCEPT ![a] = "granted"]
    /\ UNCHANGED <<nodeState, hint, answer, token, acks, earlier, faults>>

\* A client may give up, or die, at any time. Only an empty node cares: for all others it just takes no step any more.
GiveUp(a) ==
    /\ MaxLost > 0
    /\ phase[a] \in {"asking", "fencing"}
    /\ phase' = [phase EXCEPT ![a] = "gone"]
    /\ UNCHANGED <<nodeState, hint, answer, token, acks, earlier, faults>>

------------------------------- (* Nodes *)

\* A missing counter reads as the floor.
Next1(n, h) == Max({(IF counter[n] = None THEN floor[n] ELSE counter[n]) + 1, h})

\* Takes the node's free lock for an attempt.
Take(n, a) ==
    /\ owner[n] = None /\ status[n] = "voting"
    /\ owner' = [owner EXCEPT ![n] = a]
    /\ counter' = [counter EXCEPT ![n] = Next1(n, hint[a])]
    /\ answered' = [answered EXCEPT ![n] = Next1(n, hint[a])]
    /\ floor' = [floor EXCEPT ![n] = Max({@, Next1(n, hint[a])})]
    /\ UNCHANGED status

Acquire(n, a) ==
    /\ phase[a] = "asking" /\ answer[a][n] = 0
    /\ Take(n, a)
    /\ answer' = [answer EXCEPT ![a][n] = counter'[n]]
    /\ UNCHANGED <<phase, hint, token, acks, earlier, faults>>

\* A copy of a request that was answered before arrives after the grant has ended; its own answer is lost.
Repeat(n, a) ==
    /\ phase[a] \in {"asking", "fencing"} /\ answer[a][n] > 0 /\ repeated < MaxRepeated
    /\ Take(n, a)
    /\ repeated' = repeated + 1
    /\ UNCHANGED <<clientState, forgotten, lost>>

Matches(n, a) ==
    CASE Match = "owner and answer" -> owner[n] = a /\ answered[n] = answer[a][n]
      [] Match = "owner" -> owner[n] = a
      [] Match = "nothing" -> TRUE

Fence(n, a) ==
    /\ phase[a] = "fencing" /\ WriteBack /\ status[n] = "voting"
    /\ n \in Answering(a) \ acks[a]
    /\ Matches(n, a)
    /\ LET raised == Max({token[a], IF counter[n] = None THEN floor[n] ELSE counter[n]}) IN
         /\ counter' = [counter EXCEPT ![n] = raised]
         /\ floor' = [floor EXCEPT ![n] = Max({@, raised})]
    /\ acks' = [acks EXCEPT ![a] = @ \cup {n}]
    /\ UNCHANGED <<owner, answered, status, phase, hint, answer, token, earlier, faults>>

\* A node that granted late, or whose answer was lost, learns the token later: in the background, or when it is asked to renew
\* or to release and holds with another counter. From then on it holds with the token. It counts for no token.
Tell(n, a) ==
    /\ Granted(a) /\ WriteBack /\ status[n] = "voting"
    /\ owner[n] = a /\ answered[n] # token[a]
    /\ answered' = [answered EXCEPT ![n] = token[a]]
    /\ LET raised == Max({token[a], IF counter[n] = None THEN floor[n] ELSE counter[n]}) IN
         /\ counter' = [counter EXCEPT ![n] = raised]
         /\ floor' = [floor EXCEPT ![n] = Max({@, raised})]
    /\ UNCHANGED <<owner, status, clientState, faults>>

\* Release, expiry and eviction look alike.
End(n) ==
    /\ owner[n] # None
    /\ owner' = [owner EXCEPT ![n] = None]
    /\ UNCHANGED <<answered, counter, floor, status, clientState, faults>>

Forget(n) ==
    /\ owner[n] = None /\ counter[n] # None /\ forgotten < MaxForgotten
    /\ counter' = [counter EXCEPT ![n] = None]
    /\ forgotten' = forgotten + 1
    /\ UNCHANGED <<owner, answered, floor, status, clientState, repeated, lost>>

Lose(n) ==
    /\ lost < MaxLost
    /\ lost' = lost + 1
    /\ owner' = [owner EXCEPT ![n] = None]
    /\ counter' = [counter EXCEPT ![n] = None]
    /\ floor' = [floor EXCEPT ![n] = 0]
    /\ status' = [status EXCEPT ![n] = IF Recovery = "none" THEN "voting" ELSE "empty"]
    /\ UNCHANGED <<answered, clientState, forgotten, repeated>>

\* The longest lease has passed since the loss: what the node granted before has been used or will never be.
WaitedOut(n) == \A a \in Attempts : answer[a][n] > 0 => phase[a] \in {"granted", "gone"}

\* So many others that one of them was in every quorum without this node.
Witnesses(n) ==
    {R \in SUBSET (Nodes \ {n}) :
        Cardinality(R) = Cardinality(Nodes) - Quorum + 1 /\ \A m \in R : status[m] = "voting"}

Copy(n) ==
    /\ status[n] = "empty"
    /\ Recovery = "wait, copy" => WaitedOut(n)
    /\ \E R \in Witnesses(n) : floor' = [floor EXCEPT ![n] = Max({floor[m] : m \in R})]
    /\ status' = [status EXCEPT ![n] = IF Recovery = "wait, copy" THEN "voting" ELSE "copied"]
    /\ UNCHANGED <<owner, answered, counter, clientState, faults>>

VoteAgain(n) ==
    /\ status[n] = "copied" /\ WaitedOut(n)
    /\ status' = [status EXCEPT ![n] = "voting"]
    /\ UNCHANGED <<owner, answered, counter, floor, clientState, faults>>

------------------------------- (* Together *)

Next ==
    \/ \E a \in Attempts : Begin(a) \/ Decide(a) \/ Grant(a) \/ GiveUp(a)
    \/ \E n \in Nodes, a \in Attempts : Acquire(n, a) \/ Repeat(n, a) \/ Fence(n, a) \/ Tell(n, a)
    \/ \E n \in Nodes : End(n) \/ Forget(n) \/ Lose(n) \/ Copy(n) \/ VoteAgain(n)

Spec == Init /\ [][Next]_vars

TokensAreUnique ==
    \A a, b \in Attempts : a # b /\ Granted(a) /\ Granted(b) => token[a] # token[b]

LaterIsLarger ==
    \A a \in Attempts : Granted(a) => \A b \in earlier[a] : token[b] < token[a]

Symmetry == Permutations(Nodes) \cup Permutations(Attempts)
=============================================================================
