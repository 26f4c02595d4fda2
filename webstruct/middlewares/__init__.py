"""Downloader middlewares: a polite and careful client."""
