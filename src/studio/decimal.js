// SPDX-License-Identifier: MIT
// decimal.js: keeps coordinates that the pointer makes short when they are written: 361.2, and not 361.1574999999999.

/** The number of decimal digits that a number of double precision keeps. */
const DIGITS = 15;

/** Rounds a number to a multiple of the largest power of ten that is not above `unit`. */
export function rounded(/** @type {number} */ number, /** @type {number} */ unit) {
  const exponent = Math.floor(Math.log10(unit)), power = Number(`1e${Math.abs(exponent)}`);
  const scaled = exponent < 0 ? number * power : number / power;
  if (!(Math.abs(scaled) < Number.MAX_SAFE_INTEGER)) return number;
  const whole = Math.round(scaled) + 0; // not -0
  return exponent < 0 ? whole / power : whole * power;
}

/** Returns the sum of two numbers, without the digits that rounding adds if `number` has no more than 15. */
export function sum(/** @type {number} */ number, /** @type {number} */ other) {
  if (other === 0) return number;
  const exact = number + other, isShort = Number(number.toPrecision(DIGITS)) === number;
  return isShort ? Number(exact.toPrecision(DIGITS)) : exact;
}
