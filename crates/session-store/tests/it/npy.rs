//! Matrices as NumPy reads them: a reader of the format, written from NEP 1
//! and not from the writer.

use crate::support::{DIMS, Index, deliver, embed, is_near, kind_of, meta, turn, vector};
use session_store::DocumentKind;
use std::path::Path;

/// A structured array of a scale and components, the rows multiplied by their scales.
pub struct Array {
    pub shape: (usize, usize),
    pub rows: Vec<Vec<f32>>,
}

/// The text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

pub fn read(path: &Path) -> Array {
    let bytes = fs_err::read(path).unwrap();
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    assert_eq!(bytes[6..8], [1, 0], "version");
    let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..length]).unwrap();
    assert!(header.starts_with('{') && header.trim_end().ends_with('}') && header.ends_with('\n'));
    assert_eq!(between(header, "'fortran_order': ", ","), "False");
    let dims = between(header, "[('scale', '<f4'), ('components', '|i1', (", ",))]");
    let dims: usize = dims.parse().unwrap();
    let rows: usize = between(header, "'shape': (", ",)").parse().unwrap();
    let data = &bytes[length..];
    assert_eq!(data.len(), rows * (4 + dims), "no more and no less");
    let row = |row: &[u8]| {
        let scale = f32::from_le_bytes([row[0], row[1], row[2], row[3]]);
        let components = row[4..].iter().map(|x| scale * f32::from(*x as i8));
        components.collect()
    };
    Array {
        shape: (rows, dims),
        rows: data.chunks_exact(4 + dims).map(row).collect(),
    }
}

#[test]
fn numpy_reads_what_the_index_holds() {
    let index = Index::new();
    let mut writer = index.writer();
    for n in 0..20 {
        let id = format!("s{n}");
        let asked = turn(0, &format!("Question number{n} of them all."), &[]);
        deliver(&mut writer, &meta(&id), &[asked]);
        embed(&mut writer);
        writer.commit().unwrap();
    }
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    for kind in DocumentKind::ALL {
        let name = format!("vectors/f00d/{}.0.npy", kind.name());
        let array = read(&index.root().join(name));
        assert_eq!(array.shape, (model.rows(kind), DIMS));
        let matrix = reader.matrix(&model, kind).unwrap();
        for (row, numbers) in array.rows.iter().enumerate() {
            assert_eq!(*numbers, matrix.row(row));
        }
        for owner in reader.vector_owners(model.id, kind).unwrap().rows() {
            let documents = crate::support::documents(&reader, owner.session);
            let is_its = |d: &&session_store::Document| (kind_of(d), d.turn) == (kind, owner.turn);
            let document = documents.iter().find(is_its).unwrap();
            assert!(is_near(&array.rows[owner.row], &vector(&document.text)));
        }
    }
    assert!(model.rows(DocumentKind::Turn) > 10);
}
