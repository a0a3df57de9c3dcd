"""Ridge logistic regression: the posterior mode, with a normal prior on every coefficient."""

import numpy as np

from fewlabels.estimators.weighted import expit
from fewlabels.nouns.arrays import FloatArray

NEWTON_STEPS = 60
TOLERANCE = 1e-9


def ridge_mode(z: FloatArray, y: FloatArray, center: FloatArray, sd: FloatArray) -> FloatArray:
    """The posterior mode of coefficients with prior N(center, sd^2): Newton steps, halved until the posterior rises (strictly concave).

    z   one row per label, its first column 1
    y   answers, 0 or 1
    """
    b = center.copy()
    height = likelihood(z, y, b)
    for _ in range(NEWTON_STEPS):
        slope = z.T @ (y - expit(z @ b)) - (b - center) / sd**2
        step = np.linalg.solve(hessian(z, b, sd), slope)
        while np.abs(step).max() > TOLERANCE:
            risen = likelihood(z, y, b + step) - penalty(b + step, center, sd)
            if risen >= height:
                break
            step = step / 2
        else:
            return b
        b, height = b + step, risen
    return b


def hessian(z: FloatArray, b: FloatArray, sd: FloatArray) -> FloatArray:
    """The negative second derivative of the log posterior."""
    mu = expit(z @ b)
    return np.asarray((z * (mu * (1 - mu))[:, None]).T @ z + np.diag(1 / sd**2))


def likelihood(z: FloatArray, y: FloatArray, b: FloatArray) -> float:
    """The log likelihood."""
    eta = z @ b
    return float((y * eta - np.logaddexp(0.0, eta)).sum())


def penalty(b: FloatArray, center: FloatArray, sd: FloatArray) -> float:
    """The negative log prior, up to a constant."""
    return float(0.5 * (((b - center) / sd) ** 2).sum())
