//! The lanes of a graph: side by side, the lines that lead from commits to their parents.

use std::collections::HashMap;
use std::hash::Hash;

/// The lines in the row of one commit. Lanes are counted from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lanes {
    /// The lane of the commit.
    pub own: usize,
    /// True if a line leads to it from above.
    pub is_led_to: bool,
    /// The lanes whose lines pass by.
    pub passing: Vec<usize>,
    /// The lanes whose lines come from above and end in the lane of the commit, below it.
    pub joining: Vec<usize>,
    /// The lanes to which lines lead from the commit, one for each parent. It may be one that passes by.
    pub parents: Vec<usize>,
}

/// The most lanes. Lines to further parents are left out.
const MOST: usize = 1_000;

/// Gives lanes to commits, one after the other.
#[derive(Debug)]
pub(crate) struct Drawing<Id> {
    /// The commit to which each lane leads; `None` if it is free.
    awaited: Vec<Option<Id>>,
    lane_of: HashMap<Id, usize>,
    /// The next commit of the first lane, which no other one takes. `None` if that lane is like the others.
    trunk: Option<Id>,
}

impl<Id: Copy + Eq + Hash> Drawing<Id> {
    /// A drawing whose first lane has `trunk` and the first parents from there on. That commit has to come.
    pub(crate) fn new(trunk: Option<Id>) -> Self {
        Self { awaited: Vec::new(), lane_of: HashMap::new(), trunk }
    }

    /// The lines of the next commit. Each commit comes before its parents. A parent has one lane, however many
    /// commits lead to it.
    pub(crate) fn next(&mut self, id: Id, parents: &[Id]) -> Lanes {
        let is_trunk = self.trunk == Some(id);
        let known = self.lane_of.remove(&id);
        let own = known.unwrap_or_else(|| if is_trunk { 0 } else { self.free() });
        self.set(own, None);
        let mut joining = Vec::new();
        if is_trunk {
            self.trunk = parents.first().copied();
            // Other branches may have led to the next commit before.
            joining.extend(self.trunk.and_then(|parent| self.lane_of.remove(&parent)));
            for lane in &joining {
                self.set(*lane, None);
            }
        }
        let passing = self.awaited.iter().enumerate().filter(|(_, id)| id.is_some()).map(|(lane, _)| lane).collect();
        let mut led = Vec::new();
        for (number, parent) in parents.iter().enumerate() {
            let lane = if let Some(lane) = self.lane_of.get(parent) {
                *lane
            } else {
                let lane = match number {
                    _ if self.trunk == Some(*parent) => 0,
                    0 => own,
                    _ => self.free(),
                };
                if lane >= MOST {
                    continue;
                }
                self.set(lane, Some(*parent));
                self.lane_of.insert(*parent, lane);
                lane
            };
            if !led.contains(&lane) {
                led.push(lane);
            }
        }
        while self.awaited.last().is_some_and(Option::is_none) {
            self.awaited.pop();
        }
        Lanes { own, is_led_to: known.is_some(), passing, joining, parents: led }
    }

    fn free(&self) -> usize {
        let first = usize::from(self.trunk.is_some());
        let behind = self.awaited.iter().skip(first).position(Option::is_none).map(|place| place + first);
        behind.unwrap_or(self.awaited.len().max(first))
    }

    fn set(&mut self, lane: usize, id: Option<Id>) {
        if lane >= self.awaited.len() {
            self.awaited.resize(lane + 1, None);
        }
        if let Some(place) = self.awaited.get_mut(lane) {
            *place = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row as `own`, `^` if a line leads to it, passing lanes, and lanes of parents.
    fn drawn(commits: &[(u8, &[u8])]) -> Vec<String> {
        drawn_with(None, commits)
    }

    /// The same with a trunk, and the lanes that join it behind a `+`.
    fn drawn_with(trunk: Option<u8>, commits: &[(u8, &[u8])]) -> Vec<String> {
        let mut drawing = Drawing::new(trunk);
        let row = |(id, parents): &(u8, &[u8])| {
            let lanes = drawing.next(*id, parents);
            let led = if lanes.is_led_to { "^" } else { "" };
            let joining: String = lanes.joining.iter().map(|lane| format!(" +{lane}")).collect();
            format!("{}{led} {:?} {:?}{joining}", lanes.own, lanes.passing, lanes.parents)
        };
        commits.iter().map(row).collect()
    }

    #[test]
    fn the_trunk_has_the_first_lane() {
        // 9 and 8 are branches that begin at 5; 7 is the tip of the trunk, which has merged 6.
        let rows = drawn_with(Some(7), &[(9, &[5]), (8, &[5]), (7, &[5, 6]), (6, &[5]), (5, &[4]), (4, &[])]);
        assert_eq!(rows, ["1 [] [1]", "2 [1] [1]", "0 [] [0, 1] +1", "1^ [0] [0]", "0^ [] [0]", "0^ [] []"]);
        // A branch that has the tip of the trunk leads to it.
        assert_eq!(drawn_with(Some(2), &[(3, &[2]), (2, &[1]), (1, &[])]), ["1 [] [0]", "0^ [] [0]", "0^ [] []"]);
    }

    #[test]
    fn a_line_stays_in_its_lane() {
        assert_eq!(drawn(&[(3, &[2]), (2, &[1]), (1, &[])]), ["0 [] [0]", "0^ [] [0]", "0^ [] []"]);
    }

    #[test]
    fn a_merge_opens_a_lane_that_joins_where_the_branch_began() {
        let rows = drawn(&[(5, &[3, 4]), (4, &[2]), (3, &[2]), (2, &[1]), (1, &[])]);
        assert_eq!(rows, ["0 [] [0, 1]", "1^ [0] [1]", "0^ [1] [1]", "1^ [] [1]", "1^ [] []"]);
    }

    #[test]
    fn branches_without_children_take_free_lanes() {
        let rows = drawn(&[(9, &[1]), (8, &[1]), (7, &[6, 1]), (6, &[]), (1, &[]), (0, &[])]);
        assert_eq!(rows, ["0 [] [0]", "1 [0] [0]", "1 [0] [1, 0]", "1^ [0] []", "0^ [] []", "0 [] []"]);
    }

    #[test]
    fn lanes_are_bounded() {
        let parents: Vec<usize> = (1..3 * MOST).collect();
        let mut drawing = Drawing::new(None);
        assert_eq!(drawing.next(0, &parents).parents.len(), MOST);
        assert_eq!(drawing.awaited.len(), MOST);
        // A commit to which no line leads is drawn all the same.
        let lanes = drawing.next(2 * MOST, &[3 * MOST]);
        assert_eq!((lanes.own, lanes.is_led_to, lanes.parents.len()), (MOST, false, 0));
        assert!(drawing.next(1, &[2 * MOST]).is_led_to);
    }

    #[test]
    fn several_parents_have_a_lane_each() {
        let rows = drawn(&[(9, &[1, 2, 3, 2]), (3, &[]), (2, &[]), (1, &[])]);
        assert_eq!(rows, ["0 [] [0, 1, 2]", "2^ [0, 1] []", "1^ [0] []", "0^ [] []"]);
    }
}
