import type { TypedCase } from './typed-case.ts'
import type { TypedPen } from './typed-pen.ts'

/** What is no arithmetic, or has two readings: each must be refused, uncharged. */
export function drawRefused(pen: TypedPen): TypedCase {
  const two = (n: number) => `${n}`.padStart(2, '0')
  const [year, month, day] = [pen.between(1950, 2049), pen.between(1, 12), pen.between(1, 28)]
  const iso = `${year}-${two(month)}-${two(day)}`
  const slashes = `${month}/${day}/${year}`
  const time = `${pen.between(1, 12)}:${two(pen.between(0, 59))}`
  const phone = `${pen.between(200, 999)}-${pen.between(1000, 9999)}`
  const [a, b] = [pen.between(2, 900), pen.between(2, 90)]
  const typed = pen.pick([
    iso,
    `${iso} - ${year - 1}-${two(Math.min(day, 12))}-01`,
    slashes,
    `${slashes} - ${month}/${day}/${year - 1}`,
    `${day}.${month}.${year}`,
    time,
    `${time} + 1:45`,
    `${time} pm`,
    phone,
    `${a}-${phone}`,
    `${a} km / ${b} km/h`,
    `${a} km / ${b} km/h in min`,
    `${a} GB / ${b} Mbit/s to hours`,
    `${a} mi / ${b} mi per hour in min`,
    `1 / ${b} Hz in ms`,
    `${a} m/s in s/m`,
    `${a} /s in s`,
    `-${a + 300} C in K`,
    `-${a + 460} F to C`,
    `${a} USD to EUR`,
    `$${a} + €${b}`,
    `${b}ft2`,
    `${a} m + ${b} kg`,
    `1/${b}pi`,
    `${b}% tip on ${a}`,
    `${a} KB to MB`,
    `sin ${b}^2`,
    `sqrt ${a} / ${b}`,
    `${a}.${100 + b},50`,
    `${a},5`,
    `${a % 100} ${100 + b}`,
  ])
  return { form: 'must be refused', typed, pari: null, gnu: null }
}
