//! Many distributions, stored compactly.

use super::Distribution;

/// Values in a page: 8 MB. Pages never move, so a table never needs twice its memory while it grows.
const PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 20;

/// Distributions by number, each as its first number of rolls and the values from there on.
#[derive(Debug, Default)]
pub(in crate::bearoff) struct Distributions {
    pages: Vec<Vec<f64>>,
    /// Page and place of each distribution: at most 2^12 pages.
    places: Vec<u32>,
    /// The first number of rolls of each, and how many values it has.
    spans: Vec<Span>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::bearoff) struct Span {
    pub first: u8,
    pub len: u8,
}

impl Distributions {
    /// Room for so many; each must be set before it is read.
    pub fn with_len(len: usize) -> Distributions {
        Distributions { pages: Vec::new(), places: vec![0; len], spans: vec![Span::default(); len] }
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn bytes(&self) -> usize {
        self.pages.iter().map(|page| page.capacity() * size_of::<f64>()).sum::<usize>()
            + self.places.len() * (size_of::<u32>() + size_of::<Span>())
    }

    /// Sets one, once.
    ///
    /// # Panics
    /// If there are about 2^32 values: 40 million positions have fewer than [`MOST_VALUES`].
    pub fn set(&mut self, number: usize, span: Span, values: &[f64]) {
        debug_assert_eq!(values.len(), usize::from(span.len));
        if self.pages.last().is_none_or(|page| page.len() + values.len() > PAGE) {
            assert!(self.pages.len() < 1 << (u32::BITS - PAGE_BITS), "too many values");
            // A small table does not need a whole page.
            let is_small = self.pages.is_empty();
            self.pages.push(if is_small { Vec::new() } else { Vec::with_capacity(PAGE) });
        }
        let page_number = self.pages.len() - 1;
        let page = &mut self.pages[page_number];
        self.places[number] = (page_number << PAGE_BITS | page.len()) as u32;
        self.spans[number] = span;
        page.extend_from_slice(values);
    }

    /// Sets one, once, from its first number of rolls on.
    pub fn set_from(&mut self, number: usize, first: usize, values: &[f64]) {
        self.set(number, Span { first: first as u8, len: values.len() as u8 }, values);
    }

    #[inline]
    pub fn get(&self, number: usize) -> Distribution<'_> {
        let (place, span) = (self.places[number] as usize, self.spans[number]);
        let page = &self.pages[place >> PAGE_BITS];
        let start = place & (PAGE - 1);
        Distribution { first: usize::from(span.first), probabilities: &page[start..start + usize::from(span.len)] }
    }

    pub fn iter(&self) -> impl Iterator<Item = Distribution<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// Equal if the distributions are, wherever they are stored.
impl PartialEq for Distributions {
    fn eq(&self, other: &Distributions) -> bool {
        self.spans == other.spans && self.iter().eq(other.iter())
    }
}
