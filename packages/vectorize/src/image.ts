/** A bitmap: red, green, blue and alpha of each pixel, row by row from the top. */
export type Bitmap = { readonly width: number; readonly height: number; readonly rgba: Uint8Array }

/** A point in pixels, from the upper left corner of the image. */
export type Point = { readonly x: number; readonly y: number }

/** The next segment of a contour, from the current point. */
export type Segment =
  | { readonly kind: 'line'; readonly to: Point }
  /** A cubic Bézier curve with its two control points. */
  | { readonly kind: 'curve'; readonly first: Point; readonly second: Point; readonly to: Point }

/** A closed path; its last segment ends at its start. */
export type Contour = { readonly start: Point; readonly segments: readonly Segment[] }

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The area of one colour: contours to be filled by the non-zero rule. */
export type Layer = { readonly colour: Rgb; readonly contours: readonly Contour[] }

/** A traced image; layers are painted in order. Where no layer paints, it is transparent. */
export type Drawing = { readonly width: number; readonly height: number; readonly layers: readonly Layer[] }

/** Number of points on all contours; the start of each contour counts once. */
export function countNodes({ layers }: Drawing): number {
  return layers.reduce(
    (sum, { contours }) => sum + contours.reduce((nodes, { segments }) => nodes + segments.length, 0),
    0,
  )
}
