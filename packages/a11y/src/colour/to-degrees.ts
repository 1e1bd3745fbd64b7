/** Degrees of a CSS angle; a number without a unit is in degrees. Null for any other text. */
export function toDegrees(text: string): number | null {
  const match = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|turn|rad|grad)?$/i.exec(text.trim())
  if (!match) return null
  const per = { deg: 1, turn: 360, rad: 180 / Math.PI, grad: 0.9 }[(match[2] ?? 'deg').toLowerCase()] ?? 1
  return Number(match[1]) * per
}
