//! The forms in which a graph is given: checked already, as a list of arcs, or as rows of a sparse matrix in the caller's
//! memory.

use super::faces::FaceGraph;
use std::borrow::Cow;
use veloxel_core::{ArcList, Control, GraphKind, WeightedArc};
use veloxel_mesh::{Graph, MeshError};

/// A graph that a pipeline borrows.
#[derive(Debug, Clone, Copy)]
pub enum GraphSource<'a> {
    /// A graph, which was checked when it was made.
    Graph(&'a Graph),
    /// Arcs in any order.
    Arcs(&'a ArcList),
    /// Arcs in compressed rows, which are read once.
    Rows(ArcRows<'a>),
    /// The faces of a mesh.
    Faces(&'a FaceGraph),
}

/// The arcs of a graph in compressed rows, as a sparse matrix has them: those that leave node `i` lie at
/// `offsets[i]..offsets[i + 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArcRows<'a> {
    /// Whether arcs lead one way or both; arcs of an undirected graph may be given once or twice.
    pub kind: GraphKind,
    /// Where each row begins, and where the last one ends: one more than there are nodes.
    pub offsets: &'a [u32],
    /// The node that each arc leads to.
    pub targets: &'a [u32],
    /// The weight of each arc.
    pub weights: &'a [f32],
}

impl<'a> From<&'a Graph> for GraphSource<'a> {
    fn from(graph: &'a Graph) -> Self {
        Self::Graph(graph)
    }
}

impl<'a> From<&'a ArcList> for GraphSource<'a> {
    fn from(arcs: &'a ArcList) -> Self {
        Self::Arcs(arcs)
    }
}

impl<'a> From<&'a FaceGraph> for GraphSource<'a> {
    fn from(faces: &'a FaceGraph) -> Self {
        Self::Faces(faces)
    }
}

impl<'a> From<ArcRows<'a>> for GraphSource<'a> {
    fn from(rows: ArcRows<'a>) -> Self {
        Self::Rows(rows)
    }
}

impl<'a> GraphSource<'a> {
    /// The graph, checked, for which so many bytes may be taken.
    ///
    /// # Errors
    /// As [`Graph::new`]; [`MeshError::Rows`] for rows that do not lie one after the other.
    pub(super) fn graph(
        self,
        max_bytes: Option<u64>,
        control: &Control,
    ) -> Result<Cow<'a, Graph>, MeshError> {
        match self {
            Self::Graph(graph) => Ok(Cow::Borrowed(graph)),
            Self::Faces(faces) => Ok(Cow::Borrowed(faces.graph())),
            Self::Arcs(arcs) => Graph::within(arcs, max_bytes, control).map(Cow::Owned),
            Self::Rows(rows) => Graph::within(&rows.list()?, max_bytes, control).map(Cow::Owned),
        }
    }
}

impl ArcRows<'_> {
    /// The same arcs one by one.
    fn list(&self) -> Result<ArcList, MeshError> {
        let Self { kind, offsets, targets, weights } = *self;
        let ends = [offsets.first(), offsets.last()].map(|end| end.map(|&end| end as usize));
        let are_rows = ends == [Some(0), Some(targets.len())] && offsets.is_sorted();
        if !are_rows || weights.len() != targets.len() {
            let (offsets, targets, weights) = (offsets.len(), targets.len(), weights.len());
            return Err(MeshError::Rows { offsets, targets, weights });
        }
        let row = |(from, ends): (usize, &[u32])| {
            let range = ends[0] as usize..ends[1] as usize;
            let own = targets[range.clone()].iter().zip(&weights[range]);
            own.map(move |(&to, &weight)| WeightedArc { from: from as u32, to, weight })
        };
        Ok(ArcList {
            nodes: offsets.len() - 1,
            kind,
            arcs: offsets.windows(2).enumerate().flat_map(row).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_gives_the_same_graph() {
        let arcs = [[0, 1], [0, 2], [2, 1]].map(|[from, to]| WeightedArc { from, to, weight: 0.5 }).to_vec();
        let list = ArcList { nodes: 3, kind: GraphKind::Directed, arcs };
        let graph = Graph::new(&list, &Control::default()).unwrap();
        let (offsets, targets, weights) = ([0, 2, 2, 3], [1, 2, 1], [0.5; 3]);
        let rows =
            ArcRows { kind: GraphKind::Directed, offsets: &offsets, targets: &targets, weights: &weights };
        for source in [GraphSource::from(&graph), (&list).into(), rows.into()] {
            assert_eq!(*source.graph(None, &Control::default()).unwrap(), graph);
        }
    }

    #[test]
    fn rows_that_do_not_follow_one_another_are_refused() {
        let rows = |offsets: &[u32]| {
            let (targets, weights) = ([1, 0], [1.0; 2]);
            let kind = GraphKind::Directed;
            ArcRows { kind, offsets, targets: &targets, weights: &weights }.list()
        };
        assert!(rows(&[0, 1, 2]).is_ok());
        for wrong in [&[][..], &[0, 2, 1], &[0, 1], &[0, 1, 3], &[1, 1, 2]] {
            let text = rows(wrong).unwrap_err().to_string();
            assert!(text.starts_with("the rows of a graph"), "{text}");
        }
    }
}
