/** A gray image, a byte for each pixel: 0 is black. */
export type GrayImage = { readonly pixels: Uint8Array; readonly width: number; readonly height: number }

/** A part of an image, in pixels; `right` and `bottom` are the first ones outside. */
export type Area = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export function widthOf({ left, right }: Area): number {
  return right - left
}

export function heightOf({ top, bottom }: Area): number {
  return bottom - top
}

/** The smallest area that holds all of the given ones, of which there is at least one. */
export function unite(areas: readonly Area[]): Area {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0]
  for (const area of areas) {
    left = Math.min(left, area.left)
    top = Math.min(top, area.top)
    right = Math.max(right, area.right)
    bottom = Math.max(bottom, area.bottom)
  }
  return { left, top, right, bottom }
}

/** The value below which this share of all lies; 0 if there is none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
