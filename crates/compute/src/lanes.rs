//! Loops over rows in pieces of a fixed width, so that short rows and odd ends run as vectors too.

/// Samples of a piece: one AVX-512 register, two AVX2 or four NEON ones.
pub(crate) const LANES: usize = 16;

/// Runs `body` for every `i` of rows `n` long: piece by piece as arrays of [`LANES`], then the rest.
///
/// `lane_loop!(n; a, b; out; |i| { out[i] = a[i] + b[i] })`: names before the second semicolon are read, after it written.
/// Left to itself the compiler unrolls so far that a row of 62 samples never reaches its vector code.
macro_rules! lane_loop {
    ($n:expr; $($row:ident),*; $($out:ident),+; |$i:ident| $body:block) => {{
        let n: usize = $n;
        let whole = n - n % $crate::lanes::LANES;
        let mut start = 0;
        while start < whole {
            $(let $row: &[f32; $crate::lanes::LANES] =
                $row[start..][..$crate::lanes::LANES].try_into().expect("a piece should have its length");)*
            $(let $out: &mut [f32; $crate::lanes::LANES] =
                (&mut $out[start..][..$crate::lanes::LANES]).try_into().expect("a piece should have its length");)+
            for $i in 0..$crate::lanes::LANES $body
            start += $crate::lanes::LANES;
        }
        $(let $row = &$row[whole..n];)*
        $(let $out = &mut $out[whole..n];)+
        for $i in 0..n - whole $body
    }};
}
pub(crate) use lane_loop;

#[cfg(test)]
mod tests {
    #[test]
    fn every_sample_is_visited_once() {
        for n in [0, 1, 15, 16, 17, 62, 64] {
            let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let mut out = vec![0.0f32; n];
            {
                let (a, out) = (&a[..], &mut out[..]);
                lane_loop!(n; a; out; |i| { out[i] += a[i] + 1.0 });
            }
            assert!(out.iter().enumerate().all(|(i, &v)| v == i as f32 + 1.0), "{n}");
        }
    }
}
