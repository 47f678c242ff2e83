//! SHA-256 (FIPS 180-4), for comparing files with what a description says.

const ROUNDS: usize = 64;

/// The digest of `data` in hexadecimal.
pub fn sha256(data: &[u8]) -> String {
    let mut state = fractions(2);
    let mut message = data.to_vec();
    message.push(0x80);
    message.resize((data.len() + 9).next_multiple_of(64), 0);
    let end = message.len() - 8;
    message[end..].copy_from_slice(&(data.len() as u64 * 8).to_be_bytes());
    let constants = fractions(3);
    message
        .chunks_exact(64)
        .for_each(|block| compress(&mut state, block, &constants));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// The first 32 bits of the fractions of the `root`th roots of the primes.
fn fractions<const N: usize>(root: u32) -> [u32; N] {
    let is_prime = |n: &u128| (2..*n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2_u128..).filter(is_prime);
    std::array::from_fn(|_| floor_root(primes.next().unwrap_or(2) << (32 * root), root) as u32)
}

fn floor_root(n: u128, root: u32) -> u128 {
    (0..40).rev().fold(0, |found, bit| {
        let more = found | (1 << bit);
        if more.pow(root) <= n { more } else { found }
    })
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; ROUNDS]) {
    let words = schedule(block);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = [s1, choice, *constant, *word]
            .iter()
            .fold(h, |sum, x| sum.wrapping_add(*x));
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

fn schedule(block: &[u8]) -> [u32; ROUNDS] {
    let mut words = [0; ROUNDS];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes
            .iter()
            .fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for at in 16..ROUNDS {
        let (x, y) = (words[at - 15], words[at - 2]);
        let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
        let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
        let sum = words[at - 16].wrapping_add(s0).wrapping_add(words[at - 7]);
        words[at] = sum.wrapping_add(s1);
    }
    words
}

#[test]
fn digests_of_the_standard() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(b""), empty);
    assert_eq!(sha256(b"abc"), abc);
}
