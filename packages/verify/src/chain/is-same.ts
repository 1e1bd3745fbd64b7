/** Whether two values of plain objects, arrays and primitives are equal, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  if (members.size !== others.size) return false
  return [...members].every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
}
