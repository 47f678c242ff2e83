//! Matrices as NumPy reads them: a reader of the format, written from NEP 1
//! and not from the writer.

use crate::support::{DIMS, Index, deliver, embed, is_near, meta, turn, vector};
use session_store::Level;
use std::path::Path;

/// A two-dimensional `<f2` array in C order.
pub struct Array {
    pub shape: (usize, usize),
    pub rows: Vec<Vec<f32>>,
}

/// The value of a key in the header's Python dictionary.
fn value<'a>(header: &'a str, key: &str) -> &'a str {
    let (_, rest) = header.split_once(&format!("'{key}': ")).unwrap();
    let end = match rest.as_bytes()[0] {
        b'(' => rest.find(')').unwrap() + 1,
        _ => rest.find(',').unwrap(),
    };
    &rest[..end]
}

pub fn read(path: &Path) -> Array {
    let bytes = fs_err::read(path).unwrap();
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    assert_eq!(bytes[6..8], [1, 0], "version");
    let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(length % 64, 0, "the data is aligned");
    let header = std::str::from_utf8(&bytes[10..length]).unwrap();
    assert!(header.starts_with('{') && header.trim_end().ends_with('}') && header.ends_with('\n'));
    assert_eq!(
        (value(header, "descr"), value(header, "fortran_order")),
        ("'<f2'", "False")
    );
    let shape: Vec<usize> = value(header, "shape")
        .trim_matches(['(', ')'])
        .split(", ")
        .map(|n| n.parse().unwrap())
        .collect();
    let (rows, dims) = (shape[0], shape[1]);
    let data = &bytes[length..];
    assert_eq!(data.len(), rows * dims * 2, "no more and no less");
    let number = |b: &[u8]| half(u16::from_le_bytes([b[0], b[1]]));
    let row = |row: &[u8]| row.chunks_exact(2).map(number).collect();
    Array {
        shape: (rows, dims),
        rows: data.chunks_exact(dims * 2).map(row).collect(),
    }
}

/// IEEE 754 binary16.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f32::from(bits & 1023) / 1024.0;
    match exponent {
        0 => sign * fraction * 2f32.powi(-14),
        _ => sign * (1.0 + fraction) * 2f32.powi(exponent - 15),
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
    for level in Level::ALL {
        let name = format!("vectors/f00d/{}.0.npy", level.name());
        let array = read(&index.root().join(name));
        assert_eq!(array.shape, (model.rows(level), DIMS));
        let matrix = reader.matrix(&model, level).unwrap();
        for (row, numbers) in array.rows.iter().enumerate() {
            assert_eq!(*numbers, matrix.row(row));
        }
        for owner in reader.vector_owners(model.id, level).unwrap().rows() {
            let documents = crate::support::documents(&reader, owner.session);
            let is_its = |d: &&session_store::Document| (d.level(), d.turn) == (level, owner.turn);
            let document = documents.iter().find(is_its).unwrap();
            assert!(is_near(&array.rows[owner.row], &vector(&document.text)));
        }
    }
    assert!(model.rows(Level::Turn) > 10);
}
