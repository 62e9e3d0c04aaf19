/**
 * docs/report.png, the picture in the README: the first screen of a report.html in a real browser.
 *
 *     npm run pipeline && node --import tsx test/browser/screenshot.ts [reports/demo/report.html]
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChromium } from './chromium.js';

const [report = 'reports/demo/report.html'] = process.argv.slice(2);
const browser = await startChromium();
const page = await browser.newPage({ viewport: { width: 1280, height: 960 }, colorScheme: 'light' });
await page.goto(pathToFileURL(path.resolve(report)).href);
await page.screenshot({ path: path.resolve('docs/report.png') });
await browser.close();
