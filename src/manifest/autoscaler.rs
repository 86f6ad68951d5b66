//! A HorizontalPodAutoscaler: what it scales, and how far.

use super::mistake::{Mistake, Origin};
use super::object::{Name, Object};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autoscaler {
    pub name: Name,
    pub origin: Origin,
    pub target_kind: String,
    pub target_name: String,
    pub min: u64,
    pub max: u64,
}

/// All versions of the group agree on these fields.
pub(super) fn read(object: &Object<'_>) -> Result<Autoscaler, Mistake> {
    let spec = object.value.need("spec")?;
    let target = spec.need("scaleTargetRef")?;
    let max = spec.need("maxReplicas")?;
    let min = spec.count_at("minReplicas")?.unwrap_or(1);
    let most = max.count()?;
    if most < min.max(1) {
        let message = format!("`maxReplicas` {most} is below `minReplicas` {min}");
        return Err(max.refuse(message));
    }
    Ok(Autoscaler {
        name: object.name.clone(),
        origin: object.origin(),
        target_kind: target.need("kind")?.text()?.to_owned(),
        target_name: target.need("name")?.text()?.to_owned(),
        min,
        max: most,
    })
}
