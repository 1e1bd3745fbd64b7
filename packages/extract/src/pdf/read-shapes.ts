import type { OpenPdf } from './open-pdf.ts'
import { turn } from './read-letters.ts'

/** An upright rectangle that a page draws; coordinates as those of words. */
export type Box = {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export type Shapes = {
  /** Lines, as thin boxes, and the boxes of frames and backgrounds. */
  readonly boxes: readonly Box[]
  /** Small round or square shapes, such as the bullets of lists. */
  readonly dots: readonly Box[]
}

type Matrix = readonly [number, number, number, number, number, number]
type Point = readonly [x: number, y: number]
/** The points from a move to the next one. */
type Outline = { readonly points: Point[]; isStraight: boolean; isClosed: boolean }

/** FPDF_PAGEOBJ_PATH and FPDF_PAGEOBJ_FORM of `fpdf_edit.h`. */
const PATH = 2
const FORM = 5
/** FPDF_SEGMENT_LINETO and FPDF_SEGMENT_MOVETO of `fpdf_edit.h`. */
const LINE_TO = 0
const MOVE_TO = 2
const MAX_DEPTH = 4
/** A page of a form has some thousand; drawings have more, and no tables. */
const MAX_OBJECTS = 20_000
const MAX_BOXES = 6_000
/** Of one path; a grid that is drawn as one has some hundred. */
const MAX_SEGMENTS = 1_000
/** Thinner than this, in points, a box is a line. */
export const MAX_RULE = 3
/** Sides of a bullet, in points. */
const MIN_DOT = 1
const MAX_DOT = 9
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/**
 * The upright lines and boxes of a page.
 * @param turns those of the page's text
 */
export function readShapes(open: OpenPdf, page: number, turns: number): Shapes {
  const { pdfium } = open
  const reader = new ShapeReader(open, turns)
  const count = pdfium.FPDFPage_CountObjects(page)
  for (let at = 0; at < count && reader.isWanting; at += 1)
    reader.read(pdfium.FPDFPage_GetObject(page, at), IDENTITY, 0)
  return reader
}

class ShapeReader implements Shapes {
  readonly boxes: Box[] = []
  readonly dots: Box[] = []
  readonly #open: OpenPdf
  readonly #turns: number
  #objects = 0

  constructor(open: OpenPdf, turns: number) {
    this.#open = open
    this.#turns = turns
  }

  get isWanting(): boolean {
    return this.#objects < MAX_OBJECTS && this.boxes.length < MAX_BOXES
  }

  read(object: number, outer: Matrix, depth: number): void {
    const { pdfium } = this.#open
    this.#objects += 1
    const type = pdfium.FPDFPageObj_GetType(object)
    if (type === PATH) this.#readPath(object, outer)
    else if (type === FORM && depth < MAX_DEPTH) {
      const matrix = multiply(this.#matrixOf(object), outer)
      const count = pdfium.FPDFFormObj_CountObjects(object)
      for (let at = 0; at < count && this.isWanting; at += 1)
        this.read(pdfium.FPDFFormObj_GetObject(object, at), matrix, depth + 1)
    }
  }

  #readPath(path: number, outer: Matrix): void {
    const { pdfium, memory, scratch } = this.#open
    if (!pdfium.FPDFPath_GetDrawMode(path, scratch, scratch + 4)) return
    const [fill = 0, stroke = 0] = new Int32Array(memory().buffer, scratch, 2)
    if (fill === 0 && stroke === 0) return
    for (const outline of this.#readOutlines(path, multiply(this.#matrixOf(path), outer)))
      this.#addOutline(outline, fill !== 0)
  }

  #readOutlines(path: number, [a, b, c, d, e, f]: Matrix): Outline[] {
    const { pdfium, memory, scratch } = this.#open
    const outlines: Outline[] = []
    const count = pdfium.FPDFPath_CountSegments(path)
    if (count > MAX_SEGMENTS) return []
    for (let at = 0; at < count; at += 1) {
      const segment = pdfium.FPDFPath_GetPathSegment(path, at)
      if (!pdfium.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4)) continue
      const [x = 0, y = 0] = new Float32Array(memory().buffer, scratch, 2)
      const point = turn(a * x + c * y + e, b * x + d * y + f, this.#turns)
      const type = pdfium.FPDFPathSegment_GetType(segment)
      const last = outlines.at(-1)
      if (type === MOVE_TO || !last) outlines.push({ points: [point], isStraight: true, isClosed: false })
      else {
        last.points.push(point)
        if (type !== LINE_TO) last.isStraight = false
        if (pdfium.FPDFPathSegment_GetClose(segment)) last.isClosed = true
      }
    }
    return outlines
  }

  #addOutline({ points, isStraight, isClosed }: Outline, isFilled: boolean): void {
    if (points.length < 2) return
    const box = boundsOf(points)
    const [width, height] = [box.right - box.left, box.bottom - box.top]
    if (isDot(width, height) && points.length > 3) this.dots.push(box)
    if (!isStraight || !points.every((point, at) => at === 0 || isUpright(points[at - 1] ?? point, point)))
      return
    if (isFilled || isClosed || Math.min(width, height) <= MAX_RULE) this.boxes.push(box)
    else
      for (const [at, point] of points.entries())
        if (at > 0) this.boxes.push(boundsOf([points[at - 1] ?? point, point]))
  }

  #matrixOf(object: number): Matrix {
    const { pdfium, memory, scratch } = this.#open
    if (!pdfium.FPDFPageObj_GetMatrix(object, scratch)) return IDENTITY
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = new Float32Array(memory().buffer, scratch, 6)
    return [a, b, c, d, e, f]
  }
}

/** First the inner matrix, then the outer one. */
function multiply([a, b, c, d, e, f]: Matrix, [p, q, r, s, t, u]: Matrix): Matrix {
  return [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u]
}

function boundsOf(points: readonly Point[]): Box {
  let [left, top] = points[0] ?? [0, 0]
  let [right, bottom] = [left, top]
  for (const [x, y] of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { left, right, top, bottom }
}

function isUpright([x, y]: Point, [otherX, otherY]: Point): boolean {
  return Math.abs(x - otherX) < 1 || Math.abs(y - otherY) < 1
}

function isDot(width: number, height: number): boolean {
  const [small, large] = [Math.min(width, height), Math.max(width, height)]
  return small >= MIN_DOT && large <= MAX_DOT && large < 1.3 * small
}
