-------------------------------- MODULE Epochs --------------------------------
(***************************************************************************)
(* Epochs of one name over servers that replace each other: Redis behind   *)
(* Sentinel or in a Cluster, a database with a standby. A server that is    *)
(* promoted has a copy that lags behind, perhaps an empty one; the old one  *)
(* goes on serving until it finds out; clocks differ; records are lost; a   *)
(* server that was replaced comes back. A new epoch is the larger of "one   *)
(* more than the last" and "the clock, put forward by a step for every      *)
(* promotion that the coordinator has counted". The clock is read to a      *)
(* grain only, so that several grants may find it at the same time; where   *)
(* there is no record it is read exactly. Checked: epochs are unique,       *)
(* within a promotion they grow, and those of a later promotion are larger  *)
(* than all of an earlier one.                                              *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Step,           \* by how much a promotion puts the clock forward (an hour in the library): more than an overlap, what
                    \* clocks differ, and what is granted in one unit of the clock
    MaxSkew,        \* how far the servers' clocks may be apart
    MaxClock, MaxGrants, MaxPromotions,
    Grain,          \* how coarsely the clock is read where there is a record (a millisecond of microseconds)
    Exact,          \* whether it is read exactly where there is none
    Counted,        \* whether the coordinator's count is in the epoch
    Bound           \* whether clients ask a server only under the promotion that it is in now

VARIABLES
    clock,          \* server -> its clock
    last,           \* server -> the last epoch in its copy of the record; 0 if there is none
    promotion,      \* server -> the promotion that it was made master by
    earlier,        \* server -> the promotions that it was made master by before
    serving,        \* the servers that take themselves for the master
    newest,         \* how many promotions there have been
    grants          \* all grants: [epoch, promotion, number]

vars == <<clock, last, promotion, earlier, serving, newest, grants>>

Servers == {"A", "B"}
Larger(a, b) == IF a > b THEN a ELSE b

Init ==
    /\ clock = [s \in Servers |-> 1]
    /\ last = [s \in Servers |-> 0]
    /\ promotion = [s \in Servers |-> IF s = "A" THEN 1 ELSE 0]
    /\ earlier = [s \in Servers |-> {}]
    /\ serving = {"A"} /\ newest = 1 /\ grants = {}

\* Clocks may run as they like, as long as they stay together: the step has to outlast an overlap and what they differ.
Tick(s) ==
    /\ clock[s] < MaxClock
    /\ clock' = [clock EXCEPT ![s] = @ + 1]
    /\ \A t, u \in Servers : clock'[t] <= clock'[u] + MaxSkew

Ahead(p) == IF Counted THEN p * Step ELSE 0

Read(s) == IF last[s] = 0 /\ Exact THEN clock[s] ELSE (clock[s] \div Grain) * Grain

Epoch(s, p) == Larger(last[s] + 1, Read(s) + Ahead(p))

\* Under promotion p, as the client knows it. The clock need not go on in between.
Grant(s, p) ==
    /\ s \in serving /\ Cardinality(grants) < MaxGrants
    /\ grants' = grants \cup
        {[epoch |-> Epoch(s, p), promotion |-> promotion[s], number |-> Cardinality(grants)]}
    /\ last' = [last EXCEPT ![s] = Epoch(s, p)]
    /\ UNCHANGED <<clock, promotion, earlier, serving, newest>>

Known(s) == {promotion[s]} \cup (IF Bound THEN {} ELSE earlier[s])

Pass(s) == Tick(s) /\ UNCHANGED <<last, promotion, earlier, serving, newest, grants>>

Replicate(s, t) ==
    /\ s \in serving /\ t \notin serving
    /\ last' = [last EXCEPT ![t] = last[s]]
    /\ UNCHANGED <<clock, promotion, earlier, serving, newest, grants>>

Promote(t) ==
    /\ t \notin serving /\ newest < MaxPromotions
    /\ newest' = newest + 1
    /\ earlier' = [earlier EXCEPT ![t] = @ \cup ({promotion[t]} \ {0})]
    /\ promotion' = [promotion EXCEPT ![t] = newest + 1]
    /\ serving' = serving \cup {t}
    /\ UNCHANGED <<clock, last, grants>>

\* It finds out that it was replaced, and copies what the new one has.
Demote(s) ==
    /\ s \in serving /\ promotion[s] < newest
    /\ serving' = serving \ {s}
    /\ \E t \in serving \ {s} : last' = [last EXCEPT ![s] = last[t]]
    /\ UNCHANGED <<clock, promotion, earlier, newest, grants>>

\* A grant takes a server more than a unit of its clock. So by the time that its record is lost, the clock has gone past
\* everything that was granted on it, however many grants there were in one grain. A copy may be lost at any time.
Lose(s) ==
    /\ last[s] > 0
    /\ s \in serving => last[s] < clock[s] + Ahead(promotion[s])
    /\ last' = [last EXCEPT ![s] = 0]
    /\ UNCHANGED <<clock, promotion, earlier, serving, newest, grants>>

Next ==
    \E s \in Servers :
        \/ \E p \in Known(s) : Grant(s, p)
        \/ Pass(s) \/ Promote(s) \/ Demote(s) \/ Lose(s)
        \/ \E t \in Servers : Replicate(s, t)

Spec == Init /\ [][Next]_vars

EpochsAreUnique == \A g, h \in grants : g.epoch = h.epoch => g = h

LaterIsLarger ==
    \A g, h \in grants :
        (g.promotion < h.promotion \/ (g.promotion = h.promotion /\ g.number < h.number)) => g.epoch < h.epoch

==============================================================================
