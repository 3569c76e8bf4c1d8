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
}

impl<Id: Copy + Eq + Hash> Drawing<Id> {
    pub(crate) fn new() -> Self {
        Self { awaited: Vec::new(), lane_of: HashMap::new() }
    }

    /// The lines of the next commit. Each commit comes before its parents. A parent has one lane, however many
    /// commits lead to it.
    pub(crate) fn next(&mut self, id: Id, parents: &[Id]) -> Lanes {
        let known = self.lane_of.remove(&id);
        let own = known.unwrap_or_else(|| self.free());
        self.set(own, None);
        let passing = self.awaited.iter().enumerate().filter(|(_, id)| id.is_some()).map(|(lane, _)| lane).collect();
        let mut led = Vec::new();
        for (number, parent) in parents.iter().enumerate() {
            let lane = if let Some(lane) = self.lane_of.get(parent) {
                *lane
            } else {
                let lane = if number == 0 { own } else { self.free() };
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
        Lanes { own, is_led_to: known.is_some(), passing, parents: led }
    }

    fn free(&self) -> usize {
        self.awaited.iter().position(Option::is_none).unwrap_or(self.awaited.len())
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
        let mut drawing = Drawing::new();
        let row = |(id, parents): &(u8, &[u8])| {
            let lanes = drawing.next(*id, parents);
            let led = if lanes.is_led_to { "^" } else { "" };
            format!("{}{led} {:?} {:?}", lanes.own, lanes.passing, lanes.parents)
        };
        commits.iter().map(row).collect()
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
        let mut drawing = Drawing::new();
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
