import { findComponents } from './components.ts'
import type { LabelMap } from './label-map.ts'

/** Minimum share of the image's edge for a colour to be the background. */
const MIN_SHARE = 0.4

/**
 * Clears the areas of the background colour that touch the edge of the image; the background is the most
 * frequent colour along the edge.
 * @param clear label of cells that are not painted
 */
export function removeBackground(map: LabelMap, clear: number): LabelMap {
  const { width, height, labels } = map
  const edge = findEdge(width, height)
  const counts = new Map<number, number>()
  for (const at of edge) counts.set(labels[at] ?? 0, (counts.get(labels[at] ?? 0) ?? 0) + 1)
  const [background, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))
  if (count < edge.length * MIN_SHARE || background === clear) return map
  const components = findComponents(map)
  const isCleared = new Uint8Array(components.areas.length)
  for (const at of edge) if (labels[at] === background) isCleared[components.of[at] ?? 0] = 1
  const cleared = labels.slice()
  for (let at = 0; at < cleared.length; at++) if (isCleared[components.of[at] ?? 0] === 1) cleared[at] = clear
  return { ...map, labels: cleared }
}

function findEdge(width: number, height: number): number[] {
  const rows = Array.from({ length: height }, (_, y) => [y * width, (y + 1) * width - 1]).flat()
  const columns = Array.from({ length: width }, (_, x) => [x, (height - 1) * width + x]).flat()
  return [...rows, ...columns]
}
