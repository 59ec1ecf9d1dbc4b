//! How is a structure read that others change meanwhile?
//!
//! In steps, between which the others have their turn.
//!
//! Useful for: structures that are only appended to, so that what was read in an earlier step is still there. Not useful for: what
//! changes in place.
//! Invariant: nothing changes within a step.

/// Calls the function it is given again and again, with the structure as it is then, until the function returns false.
pub(crate) type Steps<'a, T> = &'a dyn Fn(&mut dyn FnMut(&T) -> bool);

/// All steps at once, of a structure that does not change meanwhile.
pub(crate) fn at_once<T>(whole: &T) -> impl Fn(&mut dyn FnMut(&T) -> bool) {
    move |step| while step(whole) {}
}

/// One step for each item.
pub(crate) fn for_each<T, I>(
    steps: Steps<'_, T>,
    mut items: impl Iterator<Item = I>,
    mut each: impl FnMut(&T, I),
) {
    steps(&mut |whole| items.next().map(|item| each(whole, item)).is_some());
}

/// What one step returns.
pub(crate) fn one_step<T, R>(steps: Steps<'_, T>, step: impl FnOnce(&T) -> R) -> R {
    let (mut step, mut returned) = (Some(step), None);
    steps(&mut |whole| {
        returned = step.take().map(|step| step(whole));
        false
    });
    returned.expect("at least one step is taken")
}
