/** A picture of pixels: red, green, blue and alpha of each, row by row from the top. */
export type Bitmap = { readonly width: number; readonly height: number; readonly rgba: Uint8Array }

/** A place on the picture in pixels, from its upper left corner. */
export type Point = { readonly x: number; readonly y: number }

/** How a contour goes on from where it stands. */
export type Segment =
  | { readonly kind: 'line'; readonly to: Point }
  /** A cubic Bézier curve with its two control points. */
  | { readonly kind: 'curve'; readonly first: Point; readonly second: Point; readonly to: Point }

/** A closed line; its last segment ends where it starts. */
export type Contour = { readonly start: Point; readonly segments: readonly Segment[] }

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** One colour's area: contours to be filled by the non-zero rule. */
export type Layer = { readonly colour: Rgb; readonly contours: readonly Contour[] }

/** A traced picture; layers are painted in their order. Where none paints, it is transparent. */
export type Drawing = { readonly width: number; readonly height: number; readonly layers: readonly Layer[] }

/** How many points lie on the contours, each contour's start counted once. */
export function countNodes({ layers }: Drawing): number {
  return layers.reduce(
    (sum, { contours }) => sum + contours.reduce((nodes, { segments }) => nodes + segments.length, 0),
    0,
  )
}
