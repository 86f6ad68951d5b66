//! Keys that tell by themselves: constants, products, ranges, key spaces of extensions.

use super::{Candidate, NamingContext, Ranges};
use crate::key::ascii_name;
use crate::key::hash;
use crate::key::known::{Shape, registry};
use crate::key::{AdvisoryKey, AdvisoryTag};

/// A CRC-32 below this is too rare to be worth a mistaken name: small multiples are other people's.
const LEAST_QUOTIENT: i64 = 1 << 16;

pub(super) fn candidates(tag: AdvisoryTag, context: &NamingContext) -> Vec<Candidate> {
    let forms = registry().told_by_shape(tag).iter().filter_map(|id| {
        let (tool, form) = registry().form(*id);
        if context.ranges == Ranges::LeftOut && form.shape.is_wide() {
            return None;
        }
        let basis = basis(&form.shape, tag, context)?;
        let purpose = form.what.as_ref().unwrap_or(&tool.purpose);
        Some(Candidate::of_form(
            tool,
            form,
            with_parts(purpose, tag),
            basis,
        ))
    });
    let constants = tag.key().map_or(&[][..], |key| registry().constants(key));
    let constants = constants.iter().map(|id| {
        let (tool, form) = registry().form(*id);
        let purpose = form.what.as_ref().unwrap_or(&tool.purpose).clone();
        Candidate::of_form(tool, form, purpose, "the tool's own constant".to_owned())
    });
    constants.chain(forms).collect()
}

/// Why the tag is of this shape; `None` if it is not, or if other ways find that shape.
fn basis(shape: &Shape, tag: AdvisoryTag, context: &NamingContext) -> Option<String> {
    match (shape, tag.key()) {
        (Shape::KeySpace(objsubid), None) => (tag.objsubid == *objsubid)
            .then(|| format!("only an extension takes locks with objsubid {objsubid}")),
        (Shape::Pair(first, second), Some(AdvisoryKey::Pair(one, other))) => {
            (first.holds(one) && second.holds(other)).then(|| match shape.is_wide() {
                true => "a pair of this shape".to_owned(),
                false => format!("a pair whose first half is {one}"),
            })
        }
        (_, Some(AdvisoryKey::Single(key))) => basis_of_single(shape, key, context),
        _ => None,
    }
}

fn basis_of_single(shape: &Shape, key: i64, context: &NamingContext) -> Option<String> {
    match *shape {
        Shape::MultipleOf(factor) => multiple(key, factor, context),
        Shape::Near(number) => near(key, number),
        Shape::Between(from, to) => (from..=to)
            .contains(&key)
            .then(|| format!("a number from {from} to {to}")),
        Shape::PackedName => ascii_name::unpack(key)
            .map(|name| format!("the number is the name `{name}`, seven bits a character")),
        _ => None,
    }
}

/// That it is this factor times a CRC-32, perhaps of a database's name.
fn multiple(key: i64, factor: i64, context: &NamingContext) -> Option<String> {
    let quotient = key / factor;
    let crc32 = u32::try_from(quotient).ok()?;
    if key % factor != 0 || quotient < LEAST_QUOTIENT {
        return None;
    }
    let mut databases = context.databases.iter();
    Some(match databases.find(|name| hash::crc32(name) == crc32) {
        Some(name) => format!("{factor} times the CRC-32 of `{name}`, a database's name"),
        None => {
            format!("{factor} times a 32-bit number, the CRC-32 of no database's name known here")
        }
    })
}

fn near(key: i64, number: i64) -> Option<String> {
    let difference = i32::try_from(key.checked_sub(number)?).ok()?;
    Some(format!("{number} and a 32-bit hash, {difference}"))
}

/// Puts parts of the key where a purpose speaks of them.
fn with_parts(purpose: &str, tag: AdvisoryTag) -> String {
    let AdvisoryTag { classid, objid, .. } = tag;
    let (first, second) = match tag.key() {
        Some(AdvisoryKey::Pair(first, second)) => (first.to_string(), second.to_string()),
        _ => (classid.to_string(), objid.to_string()),
    };
    // pg_repack takes an oid less 2^31 for the second half.
    let oid = objid ^ (1 << 31);
    purpose
        .replace("{first}", &first)
        .replace("{second}", &second)
        .replace("{oid}", &oid.to_string())
        .replace("{number}", &tag.number().to_string())
}
