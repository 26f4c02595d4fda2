"""Downloader middlewares: a polite and careful client; and a spider middleware that keeps to lists of known sites."""
