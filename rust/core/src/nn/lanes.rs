//! Vectors of a fixed number of lanes, whatever the processor has.
//!
//! 16 floats and 64 integers are one unit of work everywhere. The portable ones are the twin that the tests compare with.

use crate::nn::weights::FIRST_STEP;

/// Floats in a vector.
pub const LANES: usize = 16;

/// 16 floats.
pub trait Floats: Copy {
    /// 64 integers of 16 bits, which wrap.
    type Ints: Ints;
    /// Whether the processor has vectors for them.
    const WIDE: bool;

    fn load(values: &[f32; LANES]) -> Self;
    fn splat(value: f32) -> Self;
    fn store(self, values: &mut [f32; LANES]);
    /// self x factor + summand, rounded once.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
}

/// 64 integers of 16 bits.
pub trait Ints: Copy {
    fn load(values: &[i16; FIRST_STEP]) -> Self;
    fn store(self, values: &mut [i16; FIRST_STEP]);
    fn add(self, other: &[i16; FIRST_STEP]) -> Self;
    fn sub(self, other: &[i16; FIRST_STEP]) -> Self;
    /// The values above zero as floats, the others as 0.
    fn rectify(self, values: &mut [f32; FIRST_STEP]);
    /// Which values are above zero, as bits.
    fn positive(self) -> u64;
}

#[derive(Clone, Copy)]
pub struct PortableFloats([f32; LANES]);

impl Floats for PortableFloats {
    type Ints = PortableInts;
    const WIDE: bool = false;

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        PortableFloats(*values)
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        PortableFloats([value; LANES])
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; LANES]) {
        *values = self.0;
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, mut summand: Self) -> Self {
        for lane in 0..LANES {
            summand.0[lane] = self.0[lane].mul_add(factor.0[lane], summand.0[lane]);
        }
        summand
    }
}

#[derive(Clone, Copy)]
pub struct PortableInts([i16; FIRST_STEP]);

impl Ints for PortableInts {
    #[inline(always)]
    fn load(values: &[i16; FIRST_STEP]) -> Self {
        PortableInts(*values)
    }

    #[inline(always)]
    fn store(self, values: &mut [i16; FIRST_STEP]) {
        *values = self.0;
    }

    #[inline(always)]
    fn add(mut self, other: &[i16; FIRST_STEP]) -> Self {
        for lane in 0..FIRST_STEP {
            self.0[lane] = self.0[lane].wrapping_add(other[lane]);
        }
        self
    }

    #[inline(always)]
    fn sub(mut self, other: &[i16; FIRST_STEP]) -> Self {
        for lane in 0..FIRST_STEP {
            self.0[lane] = self.0[lane].wrapping_sub(other[lane]);
        }
        self
    }

    #[inline(always)]
    fn rectify(self, values: &mut [f32; FIRST_STEP]) {
        for lane in 0..FIRST_STEP {
            values[lane] = f32::from(self.0[lane].max(0));
        }
    }

    #[inline(always)]
    fn positive(self) -> u64 {
        self.0.iter().rev().fold(0, |bits, &value| bits << 1 | u64::from(value > 0))
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2Floats, Avx512Floats};

/// These types are in use only inside functions compiled for their processor, entered after a check for it.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{FIRST_STEP, Floats, Ints, LANES};

    #[derive(Clone, Copy)]
    pub struct Avx2Floats(__m256, __m256);

    impl Floats for Avx2Floats {
        type Ints = Avx2Ints;
        const WIDE: bool = true;

        #[inline(always)]
        fn load(values: &[f32; LANES]) -> Self {
            let at = values.as_ptr();
            // SAFETY: the processor has AVX2 (see the module); 16 floats can be read there.
            unsafe { Avx2Floats(_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))) }
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: the processor has AVX2.
            let all = unsafe { _mm256_set1_ps(value) };
            Avx2Floats(all, all)
        }

        #[inline(always)]
        fn store(self, values: &mut [f32; LANES]) {
            let at = values.as_mut_ptr();
            // SAFETY: the processor has AVX2; 16 floats can be written there.
            unsafe {
                _mm256_storeu_ps(at, self.0);
                _mm256_storeu_ps(at.add(8), self.1);
            }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, summand: Self) -> Self {
            // SAFETY: the processor has FMA.
            unsafe {
                Avx2Floats(_mm256_fmadd_ps(self.0, factor.0, summand.0), _mm256_fmadd_ps(self.1, factor.1, summand.1))
            }
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx2Ints([__m256i; 4]);

    impl Avx2Ints {
        #[inline(always)]
        fn read(values: &[i16; FIRST_STEP], part: usize) -> __m256i {
            let (parts, _) = values.as_chunks::<16>();
            // SAFETY: the processor has AVX2; the part has 32 bytes.
            unsafe { _mm256_loadu_si256(parts[part].as_ptr().cast()) }
        }
    }

    impl Ints for Avx2Ints {
        #[inline(always)]
        fn load(values: &[i16; FIRST_STEP]) -> Self {
            Avx2Ints([Self::read(values, 0), Self::read(values, 1), Self::read(values, 2), Self::read(values, 3)])
        }

        #[inline(always)]
        fn store(self, values: &mut [i16; FIRST_STEP]) {
            for (part, to) in self.0.into_iter().zip(values.as_chunks_mut::<16>().0) {
                // SAFETY: the processor has AVX2; the part has 32 bytes.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), part) };
            }
        }

        #[inline(always)]
        fn add(mut self, other: &[i16; FIRST_STEP]) -> Self {
            for part in 0..4 {
                // SAFETY: the processor has AVX2.
                self.0[part] = unsafe { _mm256_add_epi16(self.0[part], Self::read(other, part)) };
            }
            self
        }

        #[inline(always)]
        fn sub(mut self, other: &[i16; FIRST_STEP]) -> Self {
            for part in 0..4 {
                // SAFETY: the processor has AVX2.
                self.0[part] = unsafe { _mm256_sub_epi16(self.0[part], Self::read(other, part)) };
            }
            self
        }

        #[inline(always)]
        fn rectify(self, values: &mut [f32; FIRST_STEP]) {
            for (part, to) in self.0.into_iter().zip(values.as_chunks_mut::<16>().0) {
                // SAFETY: the processor has AVX2; 16 floats can be written there.
                unsafe {
                    let part = _mm256_max_epi16(part, _mm256_setzero_si256());
                    let low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(part));
                    let high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(part));
                    _mm256_storeu_ps(to.as_mut_ptr(), _mm256_cvtepi32_ps(low));
                    _mm256_storeu_ps(to.as_mut_ptr().add(8), _mm256_cvtepi32_ps(high));
                }
            }
        }

        #[inline(always)]
        fn positive(self) -> u64 {
            let [a, b, c, d] = self.0;
            let half = |low: __m256i, high: __m256i| {
                // SAFETY: the processor has AVX2. Packing puts the 128-bit halves out of order; the permutation mends it.
                let bits = unsafe {
                    let zero = _mm256_setzero_si256();
                    let (low, high) = (_mm256_cmpgt_epi16(low, zero), _mm256_cmpgt_epi16(high, zero));
                    let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
                    _mm256_movemask_epi8(packed)
                };
                u64::from(bits as u32)
            };
            half(a, b) | half(c, d) << 32
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx512Floats(__m512);

    impl Floats for Avx512Floats {
        type Ints = Avx512Ints;
        const WIDE: bool = true;

        #[inline(always)]
        fn load(values: &[f32; LANES]) -> Self {
            // SAFETY: the processor has AVX-512 (see the module); 16 floats can be read there.
            unsafe { Avx512Floats(_mm512_loadu_ps(values.as_ptr())) }
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: the processor has AVX-512.
            unsafe { Avx512Floats(_mm512_set1_ps(value)) }
        }

        #[inline(always)]
        fn store(self, values: &mut [f32; LANES]) {
            // SAFETY: the processor has AVX-512; 16 floats can be written there.
            unsafe { _mm512_storeu_ps(values.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, summand: Self) -> Self {
            // SAFETY: the processor has AVX-512.
            unsafe { Avx512Floats(_mm512_fmadd_ps(self.0, factor.0, summand.0)) }
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx512Ints(__m512i, __m512i);

    impl Ints for Avx512Ints {
        #[inline(always)]
        fn load(values: &[i16; FIRST_STEP]) -> Self {
            let at = values.as_ptr();
            // SAFETY: the processor has AVX-512; 64 integers can be read there.
            unsafe { Avx512Ints(_mm512_loadu_epi16(at), _mm512_loadu_epi16(at.add(32))) }
        }

        #[inline(always)]
        fn store(self, values: &mut [i16; FIRST_STEP]) {
            let at = values.as_mut_ptr();
            // SAFETY: the processor has AVX-512; 64 integers can be written there.
            unsafe {
                _mm512_storeu_epi16(at, self.0);
                _mm512_storeu_epi16(at.add(32), self.1);
            }
        }

        #[inline(always)]
        fn add(self, other: &[i16; FIRST_STEP]) -> Self {
            let other = Self::load(other);
            // SAFETY: the processor has AVX-512.
            unsafe { Avx512Ints(_mm512_add_epi16(self.0, other.0), _mm512_add_epi16(self.1, other.1)) }
        }

        #[inline(always)]
        fn sub(self, other: &[i16; FIRST_STEP]) -> Self {
            let other = Self::load(other);
            // SAFETY: the processor has AVX-512.
            unsafe { Avx512Ints(_mm512_sub_epi16(self.0, other.0), _mm512_sub_epi16(self.1, other.1)) }
        }

        #[inline(always)]
        fn rectify(self, values: &mut [f32; FIRST_STEP]) {
            for (part, to) in [self.0, self.1].into_iter().zip(values.as_chunks_mut::<32>().0) {
                // SAFETY: the processor has AVX-512; 32 floats can be written there.
                unsafe {
                    let part = _mm512_max_epi16(part, _mm512_setzero_si512());
                    let low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(part));
                    let high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(part));
                    _mm512_storeu_ps(to.as_mut_ptr(), _mm512_cvtepi32_ps(low));
                    _mm512_storeu_ps(to.as_mut_ptr().add(16), _mm512_cvtepi32_ps(high));
                }
            }
        }

        #[inline(always)]
        fn positive(self) -> u64 {
            // SAFETY: the processor has AVX-512.
            let half = |part| u64::from(unsafe { _mm512_cmpgt_epi16_mask(part, _mm512_setzero_si512()) });
            half(self.0) | half(self.1) << 32
        }
    }
}
