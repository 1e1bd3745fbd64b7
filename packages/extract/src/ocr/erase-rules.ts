import type { GrayImage } from './gray-image.ts'
import type { Rules } from './take-rules.ts'

/** Pixels next to a rule that are neither dark nor light. */
const BLUR = 1

/** The image with the paper of their surroundings in the place of rules. */
export function eraseRules({ pixels, width, height }: GrayImage, { across, down }: Rules): GrayImage {
  const erased = Uint8Array.from(pixels)
  const clamp = (value: number, max: number) => Math.min(Math.max(value, 0), max - 1)
  for (const { left, top, right, bottom } of across) {
    const [first, last] = [clamp(top - BLUR, height), clamp(bottom - 1 + BLUR, height)]
    const [above, below] = [clamp(first - 1, height) * width, clamp(last + 1, height) * width]
    for (let x = left; x < right; x += 1) {
      const paper = Math.max(pixels[above + x] ?? 0, pixels[below + x] ?? 0)
      for (let y = first; y <= last; y += 1) erased[y * width + x] = paper
    }
  }
  for (const { left, top, right, bottom } of down) {
    const [first, last] = [clamp(left - BLUR, width), clamp(right - 1 + BLUR, width)]
    const [before, after] = [clamp(first - 1, width), clamp(last + 1, width)]
    for (let y = top; y < bottom; y += 1) {
      const paper = Math.max(pixels[y * width + before] ?? 0, pixels[y * width + after] ?? 0)
      erased.fill(paper, y * width + first, y * width + last + 1)
    }
  }
  return { pixels: erased, width, height }
}
