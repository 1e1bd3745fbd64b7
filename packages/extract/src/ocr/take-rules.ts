import type { Mask } from './find-specks.ts'
import { type Area, type GrayImage, heightOf, widthOf } from './gray-image.ts'

/** Lines that are drawn, across and down. */
export type Rules = { readonly across: readonly Area[]; readonly down: readonly Area[] }

/** A gap in a line of a scan, in pixels. */
const MAX_GAP = 1
/** Length of a rule, in heights of a letter: no stroke of a letter is so long. */
const MIN_ACROSS = 3.5
const MIN_DOWN = 2.2
/** A rule is at most this thick, in heights of a letter; a bar is a picture. */
const MAX_THICK = 0.4
/** Share of the pixels next to a rule that may be dark: over and under letters that touch each other are more. */
const MAX_BESIDE = 0.3
/** Pixels next to a rule that may belong to it. */
const BLUR = 1
/** A faint line is darker than the paper above and below, this far away, by this much. */
const REACH = 3
const MIN_CONTRAST = 14
/** And by so many times the noise of the image; it is longer than a rule of ink, in heights of a letter. */
const MIN_NOISES = 4
const MIN_FAINT = 7
/** How far from a rule its neighbours are looked at, in pixels. */
const BESIDE = 2

/**
 * Finds the rules of an image, and erases them from the mask of its ink.
 * @param letter height of a letter, pixels
 */
export function takeRules(
  image: GrayImage,
  ink: Mask,
  letter: number,
): { readonly rules: Rules; readonly mask: Mask } {
  const pixels = Uint8Array.from(ink.pixels)
  const thick = Math.max(4, MAX_THICK * letter)
  const contrast = Math.max(MIN_CONTRAST, MIN_NOISES * noiseOf(image))
  const find = (gray: GrayImage, mask: Mask, min: number) =>
    joinRuns([
      ...findRuns(mask, min),
      ...findRuns(findFaint(gray, contrast), Math.max(min, MIN_FAINT * letter)),
    ]).filter((area) => heightOf(area) <= thick && isAlone(mask, area))
  const across = find(image, ink, MIN_ACROSS * letter)
  const turned = find(transpose(image), transpose(ink), MIN_DOWN * letter)
  const down = turned.map(({ left, top, right, bottom }) => ({
    left: top,
    top: left,
    right: bottom,
    bottom: right,
  }))
  for (const { left, top, right, bottom } of [...across, ...down])
    for (let y = Math.max(0, top - BLUR); y < Math.min(ink.height, bottom + BLUR); y += 1)
      pixels.fill(
        0,
        y * ink.width + Math.max(0, left - BLUR),
        y * ink.width + Math.min(ink.width, right + BLUR),
      )
  return { rules: { across, down }, mask: { ...ink, pixels } }
}

/** Half of the pixels differ from their neighbour by more than this. */
function noiseOf({ pixels }: GrayImage): number {
  const counts = new Uint32Array(256)
  for (let at = 1; at < pixels.length; at += 1) {
    const difference = Math.abs((pixels[at] ?? 0) - (pixels[at - 1] ?? 0))
    counts[difference] = (counts[difference] ?? 0) + 1
  }
  let [noise, count] = [0, 0]
  while (count < pixels.length / 2 && noise < 255) {
    count += counts[noise] ?? 0
    noise += 1
  }
  return noise - 1
}

/** The pixels that are a little darker than those above and below: thin gray lines. */
function findFaint({ pixels, width, height }: GrayImage, contrast: number): Mask {
  const marked = new Uint8Array(pixels.length)
  for (let at = REACH * width; at < (height - REACH) * width; at += 1) {
    const paper = Math.min(pixels[at - REACH * width] ?? 0, pixels[at + REACH * width] ?? 0)
    if (paper - (pixels[at] ?? 0) >= contrast) marked[at] = 1
  }
  return { pixels: marked, width, height }
}

function transpose({ pixels, width, height }: Mask): Mask {
  const turned = new Uint8Array(pixels.length)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) turned[x * height + y] = pixels[y * width + x] ?? 0
  return { pixels: turned, width: height, height: width }
}

/** Runs across that are long enough, one pixel high, from top to bottom. */
function findRuns({ pixels, width, height }: Mask, min: number): Area[] {
  const runs: Area[] = []
  for (let y = 0; y < height; y += 1) {
    let [start, end] = [-1, -1]
    for (let x = 0; x <= width; x += 1) {
      if (x < width && pixels[y * width + x] === 1) {
        if (start < 0) start = x
        end = x + 1
      } else if (start >= 0 && (x === width || x - end > MAX_GAP)) {
        if (end - start >= min) runs.push({ left: start, top: y, right: end, bottom: y + 1 })
        start = -1
      }
    }
  }
  return runs
}

/** Whether there is little above and below a rule. */
function isAlone({ pixels, width, height }: Mask, { left, top, right, bottom }: Area): boolean {
  return [top - BESIDE, bottom - 1 + BESIDE].every((y) => {
    if (y < 0 || y >= height) return true
    let dark = 0
    for (let x = left; x < right; x += 1) dark += pixels[y * width + x] ?? 0
    return dark <= MAX_BESIDE * (right - left)
  })
}

/** Runs that lie over each other are one rule. */
function joinRuns(runs: readonly Area[]): Area[] {
  const rules: Area[] = []
  const sorted = runs.toSorted((one, other) => one.top - other.top)
  let open: { -readonly [Key in keyof Area]: Area[Key] }[] = []
  for (const run of sorted) {
    open = open.filter((rule) => rule.bottom >= run.top - 1 || !rules.push(rule))
    const rule = open.find(({ left, right }) => {
      const overlap = Math.min(right, run.right) - Math.max(left, run.left)
      return overlap > 0.5 * Math.min(right - left, widthOf(run))
    })
    if (!rule) open.push({ ...run })
    else {
      rule.left = Math.min(rule.left, run.left)
      rule.right = Math.max(rule.right, run.right)
      rule.bottom = Math.max(rule.bottom, run.bottom)
    }
  }
  return [...rules, ...open]
}
